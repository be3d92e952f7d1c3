import BeamscribeCore

/// Small private files about what captions are sent to, each under a name that tells nothing.
extension StateFolder {
    private static let services = "services"

    /// A service's file; nil where there is none.
    public func readServiceRecord(_ name: String) -> [UInt8]? {
        try? openFolder(for: .read).folder(Self.services, for: .read).read(name)
    }

    /// Replaces a service's file, or makes it. Where there are too many the oldest goes.
    public func replaceServiceRecord(
        _ name: String, with bytes: [UInt8]
    ) throws(SystemError) {
        let folder = try openFolder(for: .make).folder(Self.services, for: .make)
        let others = folder.names().filter { $0 != name }
        if others.count >= Limits.rememberedServices {
            let ages = others.map { other in
                (name: other, time: (try? folder.file(other, for: .read).status())?.modified ?? 0)
            }
            if let oldest = ages.min(by: { $0.time < $1.time }) { try folder.remove(oldest.name) }
        }
        try folder.replace(name, with: bytes, durably: false)
    }
}
