import BeamscribeCore
internal import Glibc

/// What decides whether the program uses a file or a folder as its own (inode(7)).
struct FileStatus: Equatable {
    enum Kind: Equatable {
        case folder
        case file
        case link
        /// A FIFO, a socket, a device.
        case other
    }

    var kind: Kind
    /// The user's number.
    var owner: UInt32
    /// The permission bits.
    var mode: UInt32
    var names: UInt64 = 1
}

extension FileStatus {
    init(_ information: stat) {
        kind =
            switch information.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFREG: .file
            case S_IFLNK: .link
            default: .other
            }
        owner = information.st_uid
        mode = information.st_mode & 0o7777
        names = UInt64(information.st_nlink)
    }

    /// What stands at `path`, without following a link there; nil where that cannot be told.
    init?(at directory: Int32 = AT_FDCWD, _ path: String) {
        var information = stat()
        guard fstatat(directory, path, &information, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(information)
    }

    /// Why it is not used as the `wanted` kind of thing; nil where nothing speaks against it.
    ///
    /// Root is no exception: what it put into another user's folder would not be that user's, and
    /// the folder's owner could exchange what it finds there.
    ///
    /// - Parameters:
    ///   - isWritten: whether more than reading is meant. A file with another name is somebody
    ///     else's file as well, who would not expect it to change.
    ///   - user: who runs the program.
    func error(
        for path: String, as wanted: Kind, isWritten: Bool, user: UInt32
    ) -> SystemError? {
        let elsewhere = "or name another place with XDG_STATE_HOME"
        let thing = wanted == .folder ? "folder" : "regular file"
        let refused = { (code: Int32, reason: String, advice: String) in
            SystemError(
                "use", path, code: code, refusal: Refusal(reason: reason, advice: advice))
        }
        if kind == .link {
            return refused(ELOOP, "it is a symbolic link", "move it away, \(elsewhere)")
        }
        if kind != wanted {
            let code = wanted == .folder ? ENOTDIR : kind == .folder ? EISDIR : EINVAL
            return refused(code, "it is no \(thing)", "move it away, \(elsewhere)")
        }
        if owner != user {
            let advice = "run as that user, give it to user \(user), \(elsewhere)"
            return refused(EPERM, "it belongs to user \(owner)", advice)
        }
        if wanted == .file, isWritten, names > 1 {
            let advice = "put a copy in its place (see ln(1))"
            return refused(EMLINK, "it is another file, too", advice)
        }
        return nil
    }
}
