internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// The system's D-Bus daemon, by which programs reach Avahi and BlueZ.
public enum SystemBus {
    /// How things stand with it.
    public enum Condition: Equatable, Sendable {
        /// It took a connection and answered.
        case answers(path: String)
        /// There is no socket where it should be: it is not running.
        case noSocket(path: String)
        /// There is a socket that takes no connection, with the system's reason.
        case refused(path: String, SystemError)
        /// It takes connections and says nothing.
        case silent(path: String)
        /// It does not let this user in.
        case rejected(path: String)
        /// DBUS_SYSTEM_BUS_ADDRESS names another kind of connection, which was not tried.
        case elsewhere(address: String)
    }

    /// Connects, introduces itself as the D-Bus Specification has it ("Authentication Protocol",
    /// EXTERNAL) and says hello to the daemon. Blocks for `patience` at most.
    ///
    /// - Parameter environment: the process's; DBUS_SYSTEM_BUS_ADDRESS is read.
    public static func ask(environment: [String: String], patience: Duration) -> Condition {
        let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=\(usualPath)"
        guard let path = path(in: address) else { return .elsewhere(address: address) }
        do throws(SystemError) {
            let bus = try connect(to: path)
            return try greet(bus, until: Clock.uptime + patience, path)
        } catch {
            let isAbsent = error.code == ENOENT || error.code == ENOTDIR
            return isAbsent ? .noSocket(path: path) : .refused(path: path, error)
        }
    }

    /// The path in an address such as `unix:path=/run/dbus/system_bus_socket,guid=...`.
    static func path(in address: String) -> String? {
        guard let first = address.split(separator: ";").first, first.hasPrefix("unix:") else {
            return nil
        }
        let pairs = first.dropFirst("unix:".count).split(separator: ",")
        return pairs.first { $0.hasPrefix("path=") }.map { String($0.dropFirst("path=".count)) }
    }

    private static func connect(to path: String) throws(SystemError) -> Descriptor {
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let number = try system("make a socket for", path) { socket(AF_UNIX, type, 0) }
        let descriptor = Descriptor(owning: number ?? -1)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("connect to", path, code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        try system("connect to", path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor.number, $0, size)
                }
            }
        }
        return descriptor
    }

    private static func greet(
        _ bus: borrowing Descriptor, until deadline: Duration, _ path: String
    ) throws(SystemError) -> Condition {
        let number = bus.number
        let user = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
        let greeting = Array("\0AUTH EXTERNAL \(user)\r\n".utf8)
        guard let welcome = try answer(to: greeting, by: number, until: deadline, path) else {
            return .silent(path: path)
        }
        guard welcome.starts(with: Array("OK".utf8)) else { return .rejected(path: path) }
        let begin = Array("BEGIN\r\n".utf8) + hello
        let answer = try answer(to: begin, by: number, until: deadline, path)
        return answer == nil ? .silent(path: path) : .answers(path: path)
    }

    /// What the daemon says to `question`; nil where it says nothing until `deadline`.
    private static func answer(
        to question: [UInt8], by number: Int32, until deadline: Duration, _ path: String
    ) throws(SystemError) -> [UInt8]? {
        try system("write to", path) {
            send(number, question, question.count, Int32(MSG_NOSIGNAL))
        }
        let left = max(.zero, deadline - Clock.uptime)
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, Int32(left.seconds * 1_000))
        var answer = [UInt8](repeating: 0, count: 256)
        let count = try system("read from", path, tolerating: EAGAIN) {
            recv(number, &answer, answer.count, 0)
        }
        return count.map { Array(answer.prefix($0)) }
    }

    /// The first message of every client: a call of the daemon's own method Hello, its four header
    /// fields by their codes and types (D-Bus Specification, "Message Format").
    private static var hello: [UInt8] {
        let name = "org.freedesktop.DBus"
        let fields: [(code: UInt8, type: String, text: String)] = [
            (1, "o", "/org/freedesktop/DBus"), (6, "s", name), (2, "s", name), (3, "s", "Hello"),
        ]
        var header: [UInt8] = []
        for field in fields {
            header += [UInt8](repeating: 0, count: (8 - header.count % 8) % 8)
            header += [field.code, 1] + field.type.utf8 + [0]
            header += [UInt8(field.text.utf8.count), 0, 0, 0] + field.text.utf8 + [0]
        }
        let start = Array("l".utf8) + [1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0]
        let end = [UInt8](repeating: 0, count: (8 - header.count % 8) % 8)
        return start + [UInt8(header.count), 0, 0, 0] + header + end
    }

    private static let usualPath = "/run/dbus/system_bus_socket"
}
