internal import CLinux
public import FoundationEssentials
internal import Glibc

/// Where the program keeps what must last: `$XDG_STATE_HOME/beamscribe`, by default
/// `~/.local/state/beamscribe` (XDG Base Directory Specification). Folders are made with mode
/// 0700, files with 0600.
public struct StateFolder: Sendable {
    /// The folder, which need not be there yet.
    public let path: String

    /// - Parameter environment: the process's environment; XDG_STATE_HOME and HOME are read.
    public init(environment: [String: String]) {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        // The specification wants a relative path to be ignored.
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        path = (state ?? "\(home)/.local/state") + "/beamscribe"
    }

    /// Makes the folder and those above it, where they are missing.
    func make() throws(SystemError) {
        try Self.makeFolders(to: path)
    }

    /// Makes the folder at `path` and those above it, where they are missing.
    static func makeFolders(to path: String) throws(SystemError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            try system("make the folder", made, tolerating: EEXIST) { mkdir(made, 0o700) }
        }
    }

    /// This device's lasting id, made at the first call. While one program of this user holds it,
    /// others get an id for themselves: they are guests of their own and must not replace it.
    ///
    /// - Throws: when the folder or the file cannot be written; a random id serves then.
    public func claimDeviceID() throws(SystemError) -> DeviceID {
        try make()
        let file = "\(path)/device-id"
        let number = try system("open", file) {
            clinux_open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        }
        let descriptor = Descriptor(owning: number ?? -1)
        let isFree = flock(descriptor.number, LOCK_EX | LOCK_NB) == 0
        guard isFree else { return DeviceID(UUID(), lock: nil) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = try system("read", file) { read(descriptor.number, &buffer, buffer.count) } ?? 0
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        if let id = UUID(uuidString: String(text.prefix(36))) {
            return DeviceID(id, lock: descriptor)
        }
        let id = UUID()
        let line = Array("\(id.uuidString.lowercased())\n".utf8)
        try system("write to", file) { pwrite(descriptor.number, line, line.count, 0) }
        return DeviceID(id, lock: descriptor)
    }
}

/// A device's id, and the claim on it for as long as this lives.
public final class DeviceID: Sendable {
    /// The id.
    public let id: UUID
    private let lock: Descriptor?

    init(_ id: UUID, lock: consuming Descriptor?) {
        self.id = id
        self.lock = lock
    }

    /// An id that nobody has, for a machine that cannot keep one.
    public static func temporary() -> DeviceID { DeviceID(UUID(), lock: nil) }
}
