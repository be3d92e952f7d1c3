import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Synchronization

/// What is kept of a caption service between two runs of the program: how far it is. It holds no
/// words, and not the service's address, which may be secret.
///
/// Invariant: the file has the newest position that was written.
final class ServiceRecord: Sendable {
    private let folder: StateFolder
    private let name: String
    private let last = Mutex<(position: CaptionPosition?, hasFailed: Bool)>((nil, false))

    /// - Parameter identity: what the service is known by.
    init(of identity: String) {
        folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        name = Fingerprint(bytes: Digest.sha256(Array(identity.utf8)))?.hex ?? ""
    }

    /// Nil where there is nothing that this version has written.
    func read() -> CaptionPosition? {
        guard let json = folder.readServiceRecord(name),
            let position = try? OutsideJSON().decode(CaptionPosition.self, from: Data(json)),
            position.isSound
        else { return nil }
        return position
    }

    /// - Parameters:
    ///   - newest: is asked when nobody else writes.
    ///   - failed: is told the first time that this is not possible.
    func write(_ newest: () -> CaptionPosition, failed: (SystemError) -> Void) {
        last.withLock { last in
            let position = newest()
            guard last.position != position else { return }
            last.position = position
            do throws(SystemError) {
                let json = (try? JSONEncoder().encode(position)).map { Array($0) } ?? []
                try folder.replaceServiceRecord(name, with: json + [UInt8(ascii: "\n")])
            } catch {
                if !last.hasFailed { failed(error) }
                last.hasFailed = true
            }
        }
    }
}
