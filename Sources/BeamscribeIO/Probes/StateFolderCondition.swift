import BeamscribeCore
internal import CLinux
internal import Glibc

/// Whether the state folder can be used, found out without changing anything.
public struct StateFolderCondition: Equatable, Sendable {
    public var path: String
    /// The folder itself, or the nearest above it that exists.
    public var nearest: String
    /// Why nothing can be written to `nearest` or the device id there; nil if it can.
    public var refusal: SystemError?
    /// The folder's permission bits; nil while it does not exist.
    public var mode: UInt32?
    /// Whether the folder, if it exists, belongs to the user who runs the program.
    public var isOwn = true

    /// The condition of a folder on a file system that does not answer.
    public static func silent(path: String) -> StateFolderCondition {
        let error = SystemError("look at", path, code: ETIMEDOUT)
        return StateFolderCondition(path: path, nearest: path, refusal: error)
    }

    public var exists: Bool { mode != nil }

}

extension StateFolderCondition {
    public init(of path: String) {
        self.init(path: path, nearest: Self.nearest(to: path))
        guard !path.isEmpty else {
            refusal = StateFolder.missing
            return
        }
        if let error = Self.refusal(path, as: .folder), error.code != EPERM {
            refusal = error
            return
        }
        var information = stat()
        guard stat(nearest, &information) == 0 else { return }
        if information.st_mode & S_IFMT != S_IFDIR {
            refusal = SystemError("use the folder", nearest, code: ENOTDIR)
            return
        }
        if nearest == path {
            mode = information.st_mode & 0o7777
            isOwn = information.st_uid == geteuid()
        }
        refusal = Self.refusal(nearest, W_OK | X_OK)
        if refusal == nil { refusal = Self.refusal("\(path)/events", as: .folder) }
        let file = "\(path)/device-id"
        if refusal == nil { refusal = Self.refusal(file, as: .file) }
        // Made by root once, the file may be closed to its user in a folder that is not.
        if refusal == nil, access(file, F_OK) == 0 { refusal = Self.refusal(file, R_OK | W_OK) }
    }

    /// Why the program would not use what is at `path`; nil where it would, or nothing is there.
    private static func refusal(_ path: String, as kind: FileStatus.Kind) -> SystemError? {
        FileStatus(at: AT_FDCWD, path)?
            .error(for: path, as: kind, isWritten: true, user: geteuid())
    }

    private static func refusal(_ path: String, _ wish: Int32) -> SystemError? {
        do throws(SystemError) {
            // The effective user counts, as it does for open(2).
            try system("write to", path) { faccessat(AT_FDCWD, path, wish, AT_EACCESS) }
            return nil
        } catch {
            return error
        }
    }

    private static func nearest(to path: String) -> String {
        var parts = path.split(separator: "/")
        while !parts.isEmpty {
            let candidate = "/" + parts.joined(separator: "/")
            // A folder above that may not be looked into is the nearest that can be told of.
            if access(candidate, F_OK) == 0 { return candidate }
            parts.removeLast()
        }
        return "/"
    }
}
