public import BeamscribeIO
import Glibc

/// The system's D-Bus daemon, by which programs reach Avahi and BlueZ.
public enum SystemBus {
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

    /// Connects, and asks the daemon something that every daemon answers. Blocks for `patience` at
    /// most.
    ///
    /// - Parameter environment: the process's; DBUS_SYSTEM_BUS_ADDRESS is read.
    public static func ask(environment: [String: String], patience: Duration) -> Condition {
        let given = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? BusAddress.usual
        // Of several addresses the first counts.
        guard let address = given.split(separator: ";").first.map(String.init),
            let path = path(in: address)
        else { return .elsewhere(address: given) }
        do throws(SystemError) {
            return try ask(address, path, patience, on: try EventLoop())
        } catch {
            let isAbsent = error.code == ENOENT || error.code == ENOTDIR
            return isAbsent ? .noSocket(path: path) : .refused(path: path, error)
        }
    }

    /// The path in an address such as `unix:path=/run/dbus/system_bus_socket,guid=...`.
    private static func path(in address: String) -> String? {
        guard address.hasPrefix("unix:") else { return nil }
        let pairs = address.dropFirst("unix:".count).split(separator: ",")
        return pairs.first { $0.hasPrefix("path=") }.map { String($0.dropFirst("path=".count)) }
    }

    private static func ask(
        _ address: String, _ path: String, _ patience: Duration, on loop: EventLoop
    ) throws(SystemError) -> Condition {
        var answer = Result<BusMessage, BusError>.failure(.failed(code: ETIMEDOUT))
        do throws(BusError) {
            let bus = try MessageBus(to: address, within: patience, on: loop)
            let tell = { (told: Result<BusMessage, BusError>) in
                answer = told
                loop.stop()
            }
            bus.lost = { tell(.failure($0)) }
            let question = BusCall(
                destination: BlueZNames.bus, path: "/org/freedesktop/DBus",
                interface: BlueZNames.bus, method: "GetId")
            try bus.call(question, within: patience, tell)
            loop.run()
            bus.close()
        } catch {
            guard case .failed(let code) = error else { return .silent(path: path) }
            throw SystemError("connect to", path, code: code)
        }
        switch answer {
        case .failure(.failed(ETIMEDOUT)): return .silent(path: path)
        // It has hung up, or said so.
        case .failure(.failed(EPERM)), .failure(.failed(EACCES)), .failure(.failed(ECONNRESET)):
            return .rejected(path: path)
        case .failure(.failed(let code)): throw SystemError("read from", path, code: code)
        case .success, .failure: return .answers(path: path)
        }
    }
}
