import Foundation
import Glibc
import Synchronization

/// A D-Bus that hangs: it stands before a host's own and passes on what comes, until somebody calls a
/// certain method. From then on it takes connections and bytes, and passes nothing on until
/// ``release()``.
public final class HangingBus: Sendable {
    /// The method that nobody gets an answer to any more.
    public enum Moment: Sendable, Equatable {
        /// Nobody gets an answer at all.
        case fromTheStart
        case call(String)
    }

    /// For DBUS_SYSTEM_BUS_ADDRESS.
    public let address: String
    private let target: String
    private let trigger: [UInt8]
    private let listening: Descriptor
    private let state: Watched<State>
    private let gate = NSCondition()

    private struct State: Sendable {
        var isHanging: Bool
        var isReleased = false
    }

    init(before target: String, at path: String, _ moment: Moment) throws {
        self.target = target
        address = "unix:path=\(path)"
        switch moment {
        case .fromTheStart: (trigger, state) = ([], Watched(State(isHanging: true)))
        case .call(let method):
            // As a string stands in a message: with its length before it and a zero behind.
            trigger = [UInt8(method.utf8.count), 0, 0, 0] + method.utf8 + [0]
            state = Watched(State(isHanging: false))
        }
        listening = Descriptor(try Self.socket(path) { bind($0, $1, $2) })
        guard listen(listening.number, 64) == 0 else { throw SpawnFailed(path, errno: errno) }
        Thread.detachNewThread { [weak self, listening] in
            while case let client = accept(listening.number, nil, nil), client >= 0 {
                self?.serve(Descriptor(client))
            }
        }
    }

    deinit {
        stop()
    }

    /// Passes everything on, what has waited first.
    public func release() {
        change { $0.isReleased = true }
    }

    /// Waits until somebody has got no answer.
    nonisolated(nonsending) public func waitUntilItHangs(
        within limit: Duration = .seconds(10)
    ) async throws {
        _ = try await state.wait(
            for: "the bus to hang", until: Deadline(in: limit), seen: { "\($0)" },
            find: { $0.isHanging ? true : nil })
    }

    /// Takes no more connections, and lets go of those that there are.
    func stop() {
        shutdown(listening.number, Int32(SHUT_RDWR))
        release()
    }

    private func change(_ body: (inout State) -> Void) {
        gate.withLock {
            state.change(body)
            gate.broadcast()
        }
    }

    private func serve(_ client: Descriptor) {
        guard let number = try? Self.socket(target, { connect($0, $1, $2) }) else { return }
        let bus = Descriptor(number)
        Thread.detachNewThread { self.pass(from: client, to: bus, looking: true) }
        Thread.detachNewThread { self.pass(from: bus, to: client, looking: false) }
    }

    private func pass(from one: Descriptor, to other: Descriptor, looking: Bool) {
        var last: [UInt8] = []
        while case let bytes = one.read(), !bytes.isEmpty {
            if looking, !trigger.isEmpty {
                last = (last + bytes).suffix(bytes.count + trigger.count)
                if last.firstRange(of: trigger) != nil { change { $0.isHanging = true } }
            }
            waitAtGate()
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(other.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
        }
        shutdown(one.number, Int32(SHUT_RDWR))
        shutdown(other.number, Int32(SHUT_RDWR))
    }

    private func waitAtGate() {
        gate.withLock {
            while state.state.isHanging, !state.state.isReleased { gate.wait() }
        }
    }

    private static func socket(
        _ path: String,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = Glibc.socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use(number, $0, size) }
        }
        guard result == 0 else {
            let error = errno
            close(number)
            throw SpawnFailed(path, errno: error)
        }
        return number
    }
}

extension HangingBus.Moment: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fromTheStart: "from the start"
        case .call(let method): "at \(method)"
        }
    }
}

extension Launch {
    /// The same, where `bus` is the system's bus and that of BlueZ.
    public func using(_ bus: HangingBus?) -> Launch {
        guard let bus else { return self }
        var launch = self
        launch.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        launch.environment["BEAMSCRIBE_BLUEZ_BUS_ADDRESS"] = bus.address
        return launch
    }
}

extension LanHost {
    /// A bus before this host's own, which must run; it hangs from `moment` on.
    public func hangingBus(_ moment: HangingBus.Moment) throws -> HangingBus {
        try HangingBus(
            before: "/proc/\(namespaces.pid)/root/run/dbus/system_bus_socket",
            at: folder.path(of: "hanging-bus"), moment)
    }
}
