import BeamscribeCore
internal import Glibc

/// The user's home folder: what HOME says, or else the user database (passwd(5)). Services and
/// containers often have no HOME; a folder that everybody can write, as /tmp, is none.
enum HomeFolder {
    /// Nil where neither knows of one.
    static func path(environment: [String: String], user: UInt32 = geteuid()) -> String? {
        if let home = environment["HOME"], isAbsolute(home) { return home }
        return ofDatabase(user).flatMap { isAbsolute($0) ? $0 : nil }
    }

    /// This program's folder in the one that `variable` names, by default in `usual` of the home
    /// folder (XDG Base Directory Specification); empty where nothing says where home is.
    static func folder(
        _ variable: String, or usual: String, environment: [String: String], user: UInt32?
    ) -> String {
        // The specification wants a relative path to be ignored.
        let named = environment[variable].flatMap { isAbsolute($0) ? $0 : nil }
        let home = path(environment: environment, user: user ?? geteuid())
        let above = named ?? home.map { "\($0)/\(usual)" }
        return above.map { $0 + "/beamscribe" } ?? ""
    }

    /// A relative one would be another wherever the program is started.
    static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// Why there is no folder `what`.
    static func missing(_ what: String, _ variable: String) -> SystemError {
        SystemError(
            "find", what, code: ENOENT,
            refusal: Refusal(
                reason: "HOME is not set, and the user database knows no home of this user",
                advice: "set HOME, or name a folder with \(variable)"))
    }

    /// Makes the folders of a path that are missing, with mode 0700.
    static func make(_ parts: some Sequence<Substring>) throws(SystemError) {
        var folder = ""
        for part in parts {
            folder += "/\(part)"
            let made = try system("make the folder", folder, tolerating: EEXIST) {
                mkdir(folder, 0o700)
            }
            // The umask may have taken away the owner's own rights.
            guard made != nil else { continue }
            try system("open to its owner", folder) {
                fchmodat(AT_FDCWD, folder, 0o700, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    private static func ofDatabase(_ user: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let home = entry.pw_dir
        else { return nil }
        return String(cString: home)
    }
}
