import BeamscribeCore
public import FoundationEssentials
internal import Glibc

/// Where the program keeps what must last: `$XDG_STATE_HOME/beamscribe`, by default
/// `~/.local/state/beamscribe` (XDG Base Directory Specification). Folders are made with mode
/// 0700, files with 0600, and neither links nor what belongs to others is used (PrivateFolder).
public struct StateFolder: FolderRoot {
    /// The folder, which need not be there yet; empty where nothing says where home is.
    public let path: String

    /// - Parameters:
    ///   - environment: the process's environment; XDG_STATE_HOME and HOME are read.
    ///   - user: whose home it is where HOME says nothing; nil for who runs the program.
    public init(environment: [String: String], user: UInt32? = nil) {
        path = HomeFolder.folder(
            "XDG_STATE_HOME", or: ".local/state", environment: environment, user: user)
    }

    package func open(for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        try openFolder(for: purpose)
    }

    func openFolder(for purpose: OpenPurpose) throws(SystemError) -> PrivateFolder {
        guard !path.isEmpty else { throw Self.missing }
        if case .make = purpose {
            try HomeFolder.make(path.split(separator: "/").dropLast())
        }
        return try PrivateFolder(path, for: purpose)
    }

    static let missing = HomeFolder.missing("a folder for keys and sessions", "XDG_STATE_HOME")

    /// This device's lasting id, made at the first call. While one program of this user holds it,
    /// others get an id for themselves: they are guests of their own and must not replace it.
    ///
    /// - Throws: when the folder or the file cannot be written; a random id serves then.
    public func claimDeviceID() throws(SystemError) -> DeviceID {
        let file = "\(path)/device-id"
        let descriptor = try openFolder(for: .make).descriptor(of: "device-id", for: .make)
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
