import BeamscribeCore
internal import Glibc

/// Where a user's settings are: `$XDG_CONFIG_HOME/beamscribe`, by default `~/.config/beamscribe`
/// (XDG Base Directory Specification).
public struct ConfigFolder: Sendable {
    /// The folder, which need not be there yet; empty where nothing says where home is.
    public let path: String

    /// - Parameters:
    ///   - environment: the process's environment; XDG_CONFIG_HOME and HOME are read.
    ///   - user: whose home it is where HOME says nothing; nil for who runs the program.
    public init(environment: [String: String], user: UInt32? = nil) {
        path = HomeFolder.folder(
            "XDG_CONFIG_HOME", or: ".config", environment: environment, user: user)
    }

    /// The bytes of a file in the folder; nil if there is none.
    public func read(_ name: String) throws(SystemError) -> [UInt8]? {
        guard !path.isEmpty else { return nil }
        do throws(SystemError) {
            return try SmallFile.read("\(path)/\(name)")
        } catch  where error.code == ENOENT {
            return nil
        }
    }

    /// Replaces a file in the folder at once and whole; folders that are missing are made, with
    /// mode 0700. Where the name is a link, what it leads to is replaced: settings are often kept
    /// elsewhere and linked.
    public func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
        guard !path.isEmpty else {
            throw HomeFolder.missing("a folder for settings", "XDG_CONFIG_HOME")
        }
        try HomeFolder.make(path.split(separator: "/"))
        try SmallFile.replace(Self.target(of: "\(path)/\(name)"), with: bytes, durably: true)
    }

    private static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
