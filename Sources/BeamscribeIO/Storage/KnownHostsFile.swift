public import BeamscribeCore
internal import CLinux
internal import Glibc

/// The file of the keys that a guest remembers: `known-hosts.json` in the state folder, mode 0600.
///
/// Whoever changes it holds the lock of `known-hosts.lock` from reading to writing, so that two
/// guests that join at once both find their way into it. Whoever only reads needs no lock: the file
/// is replaced as a whole.
public struct KnownHostsFile: Sendable {
    private let state: StateFolder
    private let patience: Duration

    /// The file in `state`, whose folder need not be there yet.
    ///
    /// - Parameter patience: how long the lock is waited for.
    public init(in state: StateFolder, patience: Duration = Limits.knownHostsLock) {
        self.state = state
        self.patience = patience
    }

    /// Where the file is, for messages.
    public var path: String { "\(state.path)/\(Self.name)" }
    private var lockPath: String { "\(state.path)/\(Self.lockName)" }
    private static let name = "known-hosts.json"
    private static let lockName = "known-hosts.lock"

    /// What is remembered: nothing where there is no file.
    ///
    /// - Throws: when there is a file that cannot be read or understood. It does not count as empty
    ///   then: a host that is not the remembered one would pass for new.
    public func load() throws(KnownHostsFileError) -> KnownHosts {
        let json: [UInt8]
        do throws(SystemError) {
            json = try state.open(for: .read).read(Self.name, limit: Limits.knownHostsFile + 1)
        } catch {
            if error.code == ENOENT, error.refusal == nil { return KnownHosts() }
            throw .system(error)
        }
        guard json.count <= Limits.knownHostsFile, let hosts = KnownHosts(json: json) else {
            throw .unreadable(path: path)
        }
        return hosts
    }

    /// Changes what is remembered, on the disk before this returns. A file that cannot be
    /// understood is left as it is.
    public func update(_ change: (inout KnownHosts) -> Void) throws(KnownHostsFileError) {
        let lock = try locked()
        let before = try load()
        var after = before
        change(&after)
        if after != before { try write(after.json) }
        withExtendedLifetime(lock) {}
    }

    private func write(_ json: [UInt8]) throws(KnownHostsFileError) {
        do throws(SystemError) {
            // What could not be read again must not be written.
            guard json.count <= Limits.knownHostsFile else {
                throw SystemError("write to", path, code: EFBIG)
            }
            try state.open(for: .make).replace(Self.name, with: json, durably: true)
        } catch {
            throw .system(error)
        }
    }

    /// Waits for the lock, which goes with the descriptor.
    private func locked() throws(KnownHostsFileError) -> Descriptor {
        do throws(SystemError) {
            let descriptor = try state.openFolder(for: .make).descriptor(
                of: Self.lockName, for: .make)
            let end = Clock.monotonic + patience
            while try system(
                "lock", lockPath, tolerating: EAGAIN, EACCES,
                call: { clinux_lock(descriptor.number) }) == nil
            {
                guard Clock.monotonic < end else {
                    throw SystemError("lock", lockPath, code: ETIMEDOUT)
                }
                // There is no waiting with an end for such a lock, and a program that was stopped
                // while it has it must not stop this one.
                usleep(2_000)
            }
            return descriptor
        } catch {
            throw .system(error)
        }
    }
}

/// Why the keys cannot be read or remembered.
public enum KnownHostsFileError: Error, Equatable {
    /// The file is not as this program writes it.
    case unreadable(path: String)
    /// The system refuses it.
    case system(SystemError)
}

extension KnownHostsFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path):
            "cannot tell known hosts from others: \(path) is damaged or of another version; move "
                + "it away to trust hosts anew, after comparing their fingerprints"
        case .system(let error):
            "cannot tell known hosts from others: \(error)"
        }
    }
}
