internal import BeamscribeCore
internal import Glibc

/// The file of a host's own long-lived key: `host-key.pem` in the state folder, mode 0600.
///
/// It is made once and never changed.
public struct HostKeyFile: Sendable {
    public struct Contents: Equatable, Sendable {
        public let pem: [UInt8]
        /// Whether others than the owner could read or change it. They no longer can, but they may
        /// have done so.
        public let wasExposed: Bool
    }

    private let state: StateFolder
    private static let name = "host-key.pem"

    /// The file in `state`, whose folder need not be there yet.
    public init(in state: StateFolder) {
        self.state = state
    }

    public var path: String { "\(state.path)/\(Self.name)" }

    /// What is in the file; nil where there is none.
    public func load() throws(SystemError) -> Contents? {
        do throws(SystemError) {
            return try contents(of: try state.openFolder(for: .read))
        } catch {
            if error.code == ENOENT, error.refusal == nil { return nil }
            throw error
        }
    }

    /// Makes the file, on the disk before this returns. Of several hosts that do so at once the
    /// first wins.
    ///
    /// - Returns: what is in the file in the end.
    public func create(_ pem: [UInt8]) throws(SystemError) -> Contents {
        let folder = try state.openFolder(for: .make)
        try folder.makeOnce(Self.name, with: pem)
        return try contents(of: folder)
    }

    private func contents(of folder: PrivateFolder) throws(SystemError) -> Contents {
        let wasExposed = try folder.closeToOthers(Self.name)
        let pem = try folder.read(Self.name, limit: Limits.hostKeyFile + 1)
        guard pem.count <= Limits.hostKeyFile else {
            throw SystemError("use", path, code: EFBIG)
        }
        return Contents(pem: pem, wasExposed: wasExposed)
    }
}
