import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

@testable import Beamscribe
@testable import BeamscribeCore

/// A program that asks whoever serves the event to let it in, and is no guest of ours.
///
/// It judges all that it is told. Without the event's code it may learn that there is one, and
/// nothing else. It has to be answered before its connection is closed.
final class Visitor {
    /// The request that it makes.
    enum Wish: CaseIterable {
        /// To be let in, as a guest is.
        case admission
        /// The same, in a version that nobody speaks.
        case otherVersion
        /// All that a guest asks for, before anybody has answered.
        case everything
        /// A guess of the event's code that is no guess.
        case guess
        /// To caption.
        case captions
    }

    /// The name of the log that it asks to write.
    static let label = "Visitor"

    private let stage: Stage
    private let wish: Wish
    private let process: SimulatedProcess
    private let stream: SimulatedStream
    private let socket: FrameSocket
    private let session: UUID
    private let packets = PacketDecoder()
    private var isAnswered = false
    private var isAccepted = false
    private var began = 0
    /// The number of bytes up to the end of its first words; nil until they are sent.
    private var helloEnd: Int?
    private var world: World { stage.world }

    /// - Parameter address: whoever serves the event.
    init?(_ stage: Stage, at address: IPAddress) {
        (self.stage, session) = (stage, Stage.makeID(stage.world))
        wish = stage.world.pick(Wish.allCases) ?? .admission
        process = SimulatedProcess(
            "visitor", on: Machine(stage.world), stage.wires, at: Wires.elsewhere(stage.world))
        stream = SimulatedStream(of: process, at: .guest)
        guard let tls = try? TLSConnection(TLSContext.guest()) else { return nil }
        let door = Destination.network(Endpoint(address, port: Stage.port))
        socket = FrameSocket(stream, tls, to: door)
        socket.heard = { [weak self] in self?.hear($0) }
        socket.ended = { [weak self] in self?.end() }
        socket.opened = { [weak self] in self?.noteHello() }
        stage.wires.dial(from: process, to: door, for: stream)
    }

    /// Whether it is connected.
    var isThere: Bool { socket.isOpen }

    /// Says what it wants, and goes after a time, if nobody sends it away before.
    func begin() {
        world.note(process.name, "comes", Wish.allCases.firstIndex(of: wish) ?? 0)
        began = world.now
        socket.begin()
        var hello = Handshake(deviceId: session.wireName, displayName: process.name)
        hello.logs = Handshake.currentLogs
        if wish == .otherVersion { hello.protocol = 99 }
        say(.handshake(hello))
        if wish == .everything { askForEverything() }
        world.schedule(after: .milliseconds(world.random(100...20_000))) { [self] in leave() }
    }

    func leave() {
        socket.close()
        process.die()
    }

    private func say(_ packet: Packet) {
        if let payload = LyingLink.payload(packet) { socket.say(payload) }
    }

    private func noteHello() {
        if socket.hasSentAll { helloEnd = stream.connection?.up.sentBytes }
    }

    private func askForEverything() {
        let logs = [stage.sessionID.wireName] + stage.writtenLogs.map(\.session)
        for log in logs { say(.read(ReadRequest(log, after: 0, run: 1))) }
        say(.keepAlive(KeepAlive(timestamp: 0)))
    }

    // MARK: What it is told

    private func hear(_ payload: [UInt8]) {
        guard let packet = payload.withUnsafeBytes({ try? packets.packet($0) }) else {
            return world.fail("\(server): it tells a visitor what is no packet")
        }
        if stage.scenario.hasCode, !isForEverybody(packet) {
            world.fail(
                "\(server): it says \(packet.typeName) to somebody who has not proved the code")
        }
        switch packet {
        case .handshakeResponse(let response): take(response)
        case .codeChallenge:
            isAnswered = true
            if wish == .guess { socket.say(Array(Self.guess.utf8)) }
        default:
            if !isAnswered { world.fail("\(server): it says \(packet.typeName) before its answer") }
        }
    }

    private static let guess = #"{"type":"code_share","share":"AAAA"}"#

    private var server: String { stream.connection?.server?.name ?? "somebody" }

    /// Whether everybody may know it.
    private func isForEverybody(_ packet: Packet) -> Bool {
        switch packet {
        case .codeChallenge: true
        case .handshakeResponse(let response):
            response.status == .rejected && response.session == nil && response.peers == nil
                && response.eventName == nil && response.lastSeq == nil
        default: false
        }
    }

    private func take(_ response: HandshakeResponse) {
        isAnswered = true
        guard response.status == .accepted else { return }
        if wish == .otherVersion || stage.scenario.hasCode {
            world.fail("\(server): it lets in a visitor")
        }
        isAccepted = true
        if wish == .captions, let record = ownRecord { socket.say(record) }
    }

    /// The record of a log of its own.
    private var ownRecord: [UInt8]? {
        let record = LogRecord(
            session.wireName, of: stage.sessionID.wireName, as: Self.label, lang: nil,
            eventName: "Town Hall", deviceName: process.name, created: 0, number: 1)
        guard let key = WriterKey(Identities.holderKeys[0]), let hasher = try? LogSHA256(),
            let writer = LogWriter(of: session, run: 1, as: record, by: key, hashing: hasher)
        else { return nil }
        return Array(writer.record[FrameDecoder.prefixLength...])
    }

    /// The other side has closed the connection.
    private func end() {
        defer { process.die() }
        guard !isAnswered, wish != .everything, let connection = stream.connection,
            wasHeard(on: connection)
        else { return }
        world.fail("\(server): it sends a visitor away without an answer")
    }

    /// Whether its words came to a program that goes on, within the time that there is for them.
    private func wasHeard(on connection: Connection) -> Bool {
        guard let server = connection.server, server.isAlive, !connection.isDead,
            !connection.isLiedOn,
            let end = helloEnd, connection.up.readBytes >= end,
            server.machine.asleepUntil < began,
            world.now - began < .seconds(9)
        else { return false }
        return !stage.isHost(server)
            || stage.run.map { $0.isServing && !$0.isFinishing } ?? false
    }
}
