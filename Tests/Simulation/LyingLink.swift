import BeamscribeTLS
import FoundationEssentials

@testable import Beamscribe
@testable import BeamscribeCore

/// One reader of a liar's, and where the liar has from what it tells that one.
final class LyingLink {
    private let down: FrameSocket
    private let up: FrameSocket
    private let lie: Lie
    private let connection: Connection
    private let liar: LyingHolder
    private let world: World
    private let packets = PacketDecoder()
    /// How many packets go on as they are before the lie begins.
    private var honestPackets: Int
    private var isSilent = false
    /// Whether what comes is of the event's main log.
    private var isMain = true
    private var leftOut = 0
    private var held: [UInt8]?
    private var memory: LiarsMemory { liar.memory }
    /// Whether it is the first whom the reader meets, who takes an event without signatures from anybody.
    private let isFirstMet: Bool

    init(
        _ down: FrameSocket, _ up: FrameSocket, _ lie: Lie, isFirstMet: Bool,
        on connection: Connection,
        of liar: LyingHolder, _ world: World
    ) {
        (self.down, self.up, self.lie) = (down, up, lie)
        (self.connection, self.liar, self.world) = (connection, liar, world)
        self.isFirstMet = isFirstMet
        honestPackets = world.chance(percent: 50) ? 0 : world.random(0...30)
    }

    var isOpen: Bool { down.isOpen }

    func begin() {
        world.note(liar.name, "answers", Lie.allCases.firstIndex(of: lie) ?? 0)
        connection.isLiedOn = true
        down.heard = { [up] in up.say($0) }
        up.heard = { [weak self] in self?.pass($0) }
        down.ended = { [up] in up.close() }
        up.ended = { [down] in down.close() }
        down.begin()
        up.begin()
    }

    func close() {
        up.close()
        down.close()
    }

    private func pass(_ payload: [UInt8]) {
        let packet = payload.withUnsafeBytes { try? packets.packet($0) }
        guard let packet else { return down.say(payload) }
        if case .inLog(let mention) = packet { isMain = mention.session == liar.session }
        if isMain { memory.note(packet, payload) }
        if case .log(let record) = packet { introduce(record) }
        if case .handshakeResponse(let response) = packet, isFirstMet, response.logs == nil {
            return close()
        }
        honestPackets -= 1
        // What needs a connection that is let in waits for that.
        guard honestPackets < 0 || isFirst(packet) else { return down.say(payload) }
        if lie == .delays, !isSignOfLife(packet) { return sayLater(payload) }
        for said in lied(packet, payload) { down.say(said) }
    }

    /// It has the source tell others of itself.
    private func introduce(_ record: LogRecord) {
        let place = "\(liar.address):\(Stage.port)"
        let peer = Peers.Peer(node: record.session, addresses: [place], role: "relay")
        if let said = Self.payload(.peers(Peers([peer]))) { up.say(said) }
    }

    /// Whether it is lied about at once, or never.
    private func isFirst(_ packet: Packet) -> Bool {
        switch (packet, lie) {
        case (.handshakeResponse, .inventsRuns), (.handshakeResponse, .namesAnotherSession),
            (.log, .forgesRecord), (.fullHistory, .opensGap), (.fullHistory, .goesBack):
            true
        default: false
        }
    }

    private func isSignOfLife(_ packet: Packet) -> Bool {
        if case .keepAlive = packet { true } else { false }
    }

    private func sayLater(_ payload: [UInt8]) {
        world.schedule(after: .seconds(10)) { [down] in down.say(payload) }
    }

    static func payload(_ packet: Packet) -> [UInt8]? {
        (try? FrameEncoder().frame(packet)).map { Array($0[FrameDecoder.prefixLength...]) }
    }

    // MARK: The lies

    /// What is said in the place of a payload.
    private func lied(_ packet: Packet, _ payload: [UInt8]) -> [[UInt8]] {
        switch packet {
        case .liveChunk(let chunk) where chunk.isFinal: return line(chunk, payload)
        case .liveChunk: return partial(payload)
        case .head: return head(payload)
        case .handshakeResponse(let response): return answer(response, payload)
        case .log(let record): return lie == .forgesRecord ? forged(record) : [payload]
        case .fullHistory(let history): return self.history(history, payload)
        case .peers: return lie == .knowsNobody ? peers([]) : [payload]
        case .keepAlive: return [payload] + invented
        default: return [payload]
        }
    }

    private func line(_ chunk: LiveChunk, _ payload: [UInt8]) -> [[UInt8]] {
        guard let seq = chunk.seq.map({ $0 - leftOut }) else { return [payload] }
        if let held {
            self.held = nil
            return [numbered(payload, seq - 1), numbered(held, seq)]
        }
        if leftOut > 0 { return [numbered(payload, seq)] }
        switch lie {
        case .keepsLines, .keepsAll: return []
        case .altersWords:
            return [replaced(payload, "\"text\":\"", "\"text\":\"lie ")]
        case .leavesOut:
            leftOut = 1
            return []
        case .exchanges:
            held = payload
            return []
        case .repeats: return [payload, numbered(payload, seq + 1)]
        case .stripsSignatures: return [stripped(payload)]
        case .swapsSignatures:
            return [signed(stripped(payload), as: memory.lines.first { $0.seq != seq }?.payload)]
        case .splices where isMain:
            if let old = memory.line(seq, otherThan: payload) { return [old] }
            return world.pick(memory.lines).map { [numbered($0.payload, seq)] } ?? [payload]
        default: return silenced(payload)
        }
    }

    private func partial(_ payload: [UInt8]) -> [[UInt8]] {
        switch lie {
        case .keepsAll: []
        case .altersPartials: [replaced(payload, "\"text\":\"", "\"text\":\"lie ")]
        case .stripsSignatures: [stripped(payload)]
        case .replaysPartials: [world.pick(memory.partials) ?? payload, payload]
        default: [payload]
        }
    }

    private func head(_ payload: [UInt8]) -> [[UInt8]] {
        switch lie {
        case .keepsHeads, .keepsAll: []
        // The first is looked at in another place than those behind it.
        case .altersHeads where world.chance(percent: 50):
            [replaced(payload, "\"state\":\"live\"", "\"state\":\"ended\"")]
        case .replaysHeads: [world.pick(memory.heads) ?? payload]
        default: [payload]
        }
    }

    private func answer(_ said: HandshakeResponse, _ payload: [UInt8]) -> [[UInt8]] {
        var response = said
        switch lie {
        case .refuses:
            response = HandshakeResponse(rejecting: .behind, "No.")
            response.reason = Self.reasons[world.random(0...Self.reasons.count - 1)]
        case .inventsRuns:
            response.runs = [0, 0, 1]
            response.lastSeq = world.random(0...1_000_000)
            response.eventName = "Another"
        case .namesAnotherSession: response.session = Stage.makeID(world).wireName
        default: return [payload]
        }
        return Self.payload(.handshakeResponse(response)).map { [$0] } ?? []
    }

    private static let kinds: [Alert.Kind] = [
        .ended, .hostDisconnected, .paused, .offRecord, .inputEnded, .resumed, .sessionResumed,
    ]
    private static let reasons = [
        "full", "wrong_code", "unsupported_protocol", "duplicate", "ended", "encryption_required",
        "behind", "anything",
    ]

    /// Signed, but by another.
    private func forged(_ record: LogRecord) -> [[UInt8]] {
        guard let key = WriterKey(Identities.holderKeys[0]),
            let log = UUID(uuidString: record.session),
            let hasher = try? LogSHA256(),
            let writer = LogWriter(of: log, run: 1, as: record, by: key, hashing: hasher)
        else { return [] }
        return [Array(writer.record[FrameDecoder.prefixLength...])]
    }

    private func history(_ said: FullHistory, _ payload: [UInt8]) -> [[UInt8]] {
        var history = said
        switch lie {
        case .opensGap where said.through > said.from:
            // Its lines prove nothing, for their hash is not known here: what follows is left out.
            history.from = said.through + 1
            isSilent = true
            guard let hash = lastHash else { return [payload] }
            history.hash = hash
        case .goesBack: history.from = max(1, said.from - 1)
        default: return [payload]
        }
        return Self.payload(.fullHistory(history)).map { [$0] } ?? []
    }

    /// What the newest line hashes to, as the host's head has said before the history.
    private var lastHash: String? {
        memory.heads.last.flatMap { payload in
            payload.withUnsafeBytes { bytes in
                guard case .head(let head)? = try? packets.packet(bytes) else { return nil }
                return head.hash
            }
        }
    }

    private func silenced(_ payload: [UInt8]) -> [[UInt8]] {
        guard isSilent else {
            if lie == .fallsSilent || lie == .drips { stopWithin(payload) }
            return isSilent ? [] : [payload]
        }
        // The history that was said to be gone.
        return []
    }

    /// Half a frame comes, and then nothing, or a byte now and then.
    private func stopWithin(_ payload: [UInt8]) {
        isSilent = true
        let frame = FrameEncoder.frame(payload)
        down.say(raw: frame.prefix(frame.count / 2))
        up.heard = { _ in }
        if lie == .drips { drip(frame.dropFirst(frame.count / 2).dropLast()) }
    }

    private func drip(_ bytes: ArraySlice<UInt8>) {
        guard down.isOpen, let first = bytes.first else { return }
        world.schedule(after: .seconds(3)) { [weak self] in
            guard let self else { return }
            down.say(raw: [first])
            drip(bytes.dropFirst())
        }
    }

    /// What nobody has said, beside a sign of life.
    private var invented: [[UInt8]] {
        switch lie {
        case .alerts:
            // That the event is over is the one that costs most where it is believed.
            let kind = world.chance(percent: 50) ? .ended : world.pick(Self.kinds) ?? .ended
            return Self.payload(.alert(Alert(kind, "A lie.", sentTimestamp: 0))).map { [$0] } ?? []
        case .refuses:
            let reason = Self.reasons[world.random(0...Self.reasons.count - 1)]
            var response = HandshakeResponse(rejecting: .full, "No.")
            response.reason = reason
            return Self.payload(.handshakeResponse(response)).map { [$0] } ?? []
        case .inventsPartials:
            let chunk = LiveChunk(
                partialOf: "lie", revision: 1, text: "a lie", sentTimestamp: 0)
            return Self.payload(.liveChunk(chunk)).map { [$0] } ?? []
        case .replaysPartials: return world.pick(memory.partials).map { [$0] } ?? []
        case .replaysHeads: return world.pick(memory.heads).map { [$0] } ?? []
        case .garbage: return [Array("not JSON".utf8)]
        case .sendsElsewhere: return peers((0..<64).map { _ in elsewhere })
        case .knowsNobody: return peers([])
        default: return []
        }
    }

    /// Mostly a third party, sometimes the host itself.
    private var elsewhere: String {
        let address =
            world.chance(percent: 5) ? EventWires.firstAddress : Wires.elsewhere(world)
        return "\(address):\(Stage.port)"
    }

    private func peers(_ addresses: [String]) -> [[UInt8]] {
        let peers = addresses.map { Peers.Peer(node: "\($0)", addresses: [$0], role: "relay") }
        return Self.payload(.peers(Peers(peers))).map { [$0] } ?? []
    }

    // MARK: Bytes

    private func replaced(_ payload: [UInt8], _ old: String, _ new: String) -> [UInt8] {
        let text = String(decoding: payload, as: UTF8.self)
        return Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
    }

    private func numbered(_ payload: [UInt8], _ seq: Int) -> [UInt8] {
        guard case .liveChunk(let chunk)? = payload.withUnsafeBytes({ try? packets.packet($0) }),
            let old = chunk.seq
        else { return payload }
        return replaced(payload, "\"seq\":\(old)", "\"seq\":\(seq)")
    }

    private func stripped(_ payload: [UInt8]) -> [UInt8] {
        payload.withUnsafeBytes {
            let signed = SignedPayload($0)
            return signed.isSigned ? Array(signed.body) + Array("}".utf8) : payload
        }
    }

    /// With the signature of another.
    private func signed(_ payload: [UInt8], as other: [UInt8]?) -> [UInt8] {
        let signature = other?.withUnsafeBytes { SignedPayload($0).signature }
        return signature.map { SignedPayload.signed(payload, by: $0) } ?? payload
    }
}
