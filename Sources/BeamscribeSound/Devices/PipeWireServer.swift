import BeamscribeCore
public import BeamscribeIO
public import BeamscribeVoice
import CSound
import FoundationEssentials

/// The user's PipeWire, by libpipewire.
///
/// Where a device goes and comes its session manager decides what a stream has instead, and gives it back; this tells
/// what it is.
public final class PipeWireServer: SoundServer {
    /// What it is called.
    public static let title = "PipeWire"
    public var name: String { Self.title }
    private let loop: EventLoop
    private let period: UInt32
    private let news: (SoundServerNews) -> Void
    private var server: OpaquePointer?
    private var registration: Registration?
    private var told: [SoundServerNews] = []

    private struct Node {
        let id: UInt32
        let device: SoundDevice
    }
    private struct Link {
        let output: UInt32
        let input: UInt32
    }
    private var nodes: [Node] = []
    private var links: [UInt32: Link] = [:]
    private var usual: [SoundDevice.Direction: String] = [:]

    /// As many devices and links of a server are remembered.
    private static let mostObjects = 4_096

    private static let events = Allocated(
        csound_pipewire_events(
            device: { owner, id, direction, name, description in
                PipeWireServer.of(owner).add(
                    id, SoundDevice.Direction(direction), String(cString: name!),
                    String(cString: description!))
            },
            link: { PipeWireServer.of($0).links($1, $2, $3) },
            gone: { PipeWireServer.of($0).remove($1) },
            usual: { owner, direction, json in
                PipeWireServer.of(owner).setUsual(
                    SoundDevice.Direction(direction), json.map { String(cString: $0) })
            },
            told: { PipeWireServer.of($0).told.append(.told) },
            lost: { PipeWireServer.of($0).told.append(.lost) }))

    /// What C keeps the address of, for as long as the program runs.
    private final class Allocated: @unchecked Sendable {
        let pointer: UnsafePointer<csound_pipewire_events>

        init(_ events: csound_pipewire_events) {
            let memory = UnsafeMutablePointer<csound_pipewire_events>.allocate(capacity: 1)
            memory.initialize(to: events)
            pointer = UnsafePointer(memory)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> PipeWireServer {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }

    /// - Parameter news: told on the loop, and never while anything of this runs.
    public init(
        period: Int, on loop: EventLoop, news: @escaping (SoundServerNews) -> Void
    ) throws(SoundServerError) {
        (self.period, self.loop, self.news) = (UInt32(clamping: period), loop, news)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard let server = csound_pipewire_connect(Self.events.pointer, owner) else {
            throw SoundServerError("PipeWire does not run here for this user")
        }
        self.server = server
        do throws(SystemError) {
            registration = try loop.register(
                csound_pipewire_descriptor(server), for: .read
            ) { [unowned self] _ in iterate() }
        } catch {
            throw SoundServerError("\(error)")
        }
    }

    deinit {
        registration?.cancel()
        if let server { csound_pipewire_disconnect(server) }
    }

    private func iterate() {
        guard let server else { return }
        csound_pipewire_iterate(server)
        let told = told
        self.told = []
        // Whoever is told may let go of this.
        withExtendedLifetime(self) { told.forEach(news) }
    }

    // MARK: What there is

    public var devices: [SoundDevice] {
        nodes.map(\.device).map { device in
            var device = device
            device.isUsual = usual[device.direction] == device.name
            return device
        }
    }

    private func add(
        _ id: UInt32, _ direction: SoundDevice.Direction, _ name: String, _ description: String
    ) {
        guard nodes.count < Self.mostObjects else { return }
        nodes.append(
            Node(id: id, device: SoundDevice(direction, name: name, description: description)))
        told.append(.changed)
    }

    private func links(_ id: UInt32, _ output: UInt32, _ input: UInt32) {
        guard links.count < Self.mostObjects else { return }
        links[id] = Link(output: output, input: input)
        told.append(.changed)
    }

    private func remove(_ id: UInt32) {
        let count = nodes.count
        nodes.removeAll { $0.id == id }
        if links.removeValue(forKey: id) != nil || nodes.count != count { told.append(.changed) }
    }

    private func setUsual(_ direction: SoundDevice.Direction, _ json: String?) {
        struct Named: Decodable {
            let name: String
        }
        usual[direction] = json.flatMap {
            try? OutsideJSON().decode(Named.self, from: Data($0.utf8)).name
        }
        told.append(.changed)
    }

    // MARK: Ports

    private final class Port: DevicePort {
        let direction: SoundDevice.Direction
        let samples: DeviceStream
        let server: PipeWireServer

        init(_ direction: SoundDevice.Direction, _ samples: DeviceStream, of server: PipeWireServer)
        {
            (self.direction, self.samples, self.server) = (direction, samples, server)
        }

        var device: SoundDevice? {
            server.device(linkedTo: csound_pipewire_node(samples.stream), direction)
        }
    }

    private func device(linkedTo node: UInt32, _ direction: SoundDevice.Direction) -> SoundDevice? {
        let others = links.values.filter {
            direction == .microphone ? $0.input == node : $0.output == node
        }.map { direction == .microphone ? $0.output : $0.input }
        return nodes.first { others.contains($0.id) }?.device
    }

    public func refusal(
        of direction: SoundDevice.Direction, _ device: String?
    ) -> SoundServerError? {
        let there = devices.filter { $0.direction == direction }
        guard let device else {
            return there.isEmpty ? SoundServerError("PipeWire has no \(direction.rawValue)") : nil
        }
        return there.contains { $0.name == device }
            ? nil : SoundServerError("PipeWire has no \(direction.rawValue) '\(device)'")
    }

    public func open(
        _ direction: SoundDevice.Direction, _ device: String?, ready: @escaping () -> Void
    ) throws(SoundServerError) -> any SoundPort {
        let stream = csound_pipewire_open(server, direction.code, device, period)
        guard let stream else {
            throw SoundServerError("PipeWire does not open the \(direction.rawValue)")
        }
        do throws(SystemError) {
            // A stream is closed before its server.
            let samples = try DeviceStream(
                stream, on: loop, close: { [self] in close($0) },
                ready: ready)
            return Port(direction, samples, of: self)
        } catch {
            throw SoundServerError("\(error)")
        }
    }

    private func close(_ stream: OpaquePointer) { csound_pipewire_close(stream) }
}
