import BeamscribeCore
internal import Glibc

/// Who listens at a TCP port, as far as /proc tells (proc(5)).
public struct PortOwner: Equatable, Sendable {
    /// The program's name, at most 15 bytes; nil where it may not be seen: other users' programs
    /// are root's to see.
    public var program: String?
    /// The program's process id, where it may be seen.
    public var process: Int32?
    /// The id of the user whose program it is.
    public var user: UInt32

    /// The first that listens at `port` at any address; nil if nobody does.
    public static func of(_ port: UInt16, in files: SystemFiles) -> PortOwner? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(files.text)
        let sockets = tables.flatMap { $0.split(separator: "\n").dropFirst() }.compactMap(
            Entry.init)
        guard let entry = sockets.first(where: { $0.isListening && $0.port == port }) else {
            return nil
        }
        let process = holder(of: entry.inode, in: files)
        return PortOwner(
            program: process.flatMap { files.value("/proc/\($0)/comm") }, process: process,
            user: entry.user)
    }

    /// The user's name, or its number where it has none.
    public var userName: String {
        guard let entry = getpwuid(user) else { return "\(user)" }
        return String(cString: entry.pointee.pw_name)
    }

    /// A line of /proc/net/tcp: `0: 0100007F:5AE3 00000000:0000 0A ... uid timeout inode`.
    private struct Entry {
        var port: UInt16
        var isListening: Bool
        var user: UInt32
        var inode: String

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count > 9, let digits = words[1].split(separator: ":").last,
                let port = UInt16(digits, radix: 16), let user = UInt32(words[7])
            else { return nil }
            self.port = port
            self.user = user
            isListening = words[3] == "0A"
            inode = String(words[9])
        }
    }

    private static func holder(of inode: String, in files: SystemFiles) -> Int32? {
        files.names(in: "/proc").compactMap(Int32.init).first { process in
            let folder = "/proc/\(process)/fd"
            return files.names(in: folder).contains {
                files.link("\(folder)/\($0)") == "socket:[\(inode)]"
            }
        }
    }
}
