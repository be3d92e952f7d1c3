import BeamscribeCore
import BeamscribeVoice
import Foundation

/// Protects nothing, but tells whose a packet is, whether it was changed and whether it came before.
final class ToyProtection: VoiceProtection {
    private let secret: UInt8
    private let side: VoiceSide
    private var control: UInt32 = 0
    private var seen: Set<[UInt8]> = []
    private(set) var forgotten: Set<UInt32> = []

    init(secret: UInt8, side: VoiceSide) { (self.secret, self.side) = (secret, side) }

    private func tag(_ bytes: some Sequence<UInt8>, from side: VoiceSide) -> [UInt8] {
        var sum: UInt64 = UInt64(secret) &* 7 &+ (side == .host ? 1 : 2)
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<16).map { UInt8(truncatingIfNeeded: sum >> (4 * UInt64(clamping: $0))) }
    }

    func protect(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? {
        var bytes = Array(packet[..<count])
        var index: [UInt8] = []
        if RTCPPacket.isControl(UnsafeRawBufferPointer(packet)) {
            control &+= 1
            index = (0..<4).map {
                UInt8(truncatingIfNeeded: control >> (24 &- 8 &* UInt32(clamping: $0)))
            }
        }
        bytes += tag(bytes + index, from: side) + index
        guard bytes.count <= packet.count else { return nil }
        packet.copyBytes(from: bytes)
        return bytes.count
    }

    func open(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let bytes = Array(packet)
        let indexBytes = RTCPPacket.isControl(UnsafeRawBufferPointer(packet)) ? 4 : 0
        guard bytes.count >= 16 + indexBytes else { return nil }
        let body = bytes.dropLast(16 + indexBytes)
        let other: VoiceSide = side == .host ? .guest : .host
        guard
            tag(body + bytes.suffix(indexBytes), from: other)
                == Array(bytes[body.count...].prefix(16))
        else { return nil }
        return seen.insert(bytes).inserted ? body.count : nil
    }

    func forget(_ source: UInt32) { forgotten.insert(source) }
}

/// Codes the ruler: a frame is when it begins.
final class RulerEncoder: AudioEncoder {
    func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]? {
        let time = Ruler.phase(of: samples[0])
        return RulerCodec.packet(at: time, duration: samples.count)
    }

    func reset() {}
}

/// A host with voices and guests on a network of numbers, by 5 ms.
final class VoiceWorld {
    /// A guest, its connection and its network.
    final class Person {
        let number: Int
        let isCrew: Bool
        /// Whether it is the host's own voice.
        let isHost: Bool
        let session: VoiceSession
        var isConnected = false
        /// Which connection it is, and so with which keys.
        var connection = 0
        var joins: UInt32 = 0
        var address: Int
        /// Whether it speaks into its microphone.
        var isSpeaking = false
        var isUDPBlocked = false
        var loss = 0.0
        /// When it hears one alone again.
        fileprivate(set) var readableFrom: Duration = .zero
        /// What it was told.
        var events: [VoiceSession.Event] = []
        /// What its packets were to be like.
        fileprivate(set) var wishes: [VoiceWish] = []
        /// Mouth to ear, of what was heard in the last step; nil for silence.
        var delay: Double?
        /// Delays of all that was heard.
        var delays: [Double] = []

        init(
            _ number: Int, isCrew: Bool, isHost: Bool, _ configuration: VoiceSession.Configuration
        ) {
            (self.number, self.isCrew, self.isHost) = (number, isCrew, isHost)
            address = number * 100
            session = VoiceSession(
                configuration, encoder: RulerEncoder(), decoder: { RulerDecoder() },
                seed: UInt64(clamping: number))
        }
    }

    let room: VoiceRoom<Int, Int>
    private let channels: [VoiceChannel]
    private(set) var people: [Person] = []
    private(set) var now: Duration = .seconds(100)
    private var time = 0
    private var generator: SeededGenerator
    private var toHost: [(at: Duration, from: Int, bytes: [UInt8])] = []
    private var toGuests: [(at: Duration, to: Int, bytes: [UInt8])] = []
    private var outbox = VoiceOutbox<Int>()
    private var guestOutbox = VoiceOutbox<VoiceHost>()
    /// Datagrams that guests have sent, for who wants to send them again.
    private(set) var overheard: [[UInt8]] = []
    /// Datagrams that the host has sent.
    private(set) var answers = 0
    /// What the host has heard itself.
    private(set) var heard: [HeardVoice<Int>] = []

    init(
        _ channels: [VoiceChannel] = [.crew, .floor], talkers: Int = 8, listeners: Int = 64,
        captioned: Set<String> = [], seed: UInt64 = 1
    ) {
        self.channels = channels
        var configuration = VoiceRoom<Int, Int>.Configuration(
            channels: channels, maximumTalkers: talkers, maximumListeners: listeners)
        configuration.captioned = captioned
        room = VoiceRoom(configuration, seed: seed)
        generator = SeededGenerator(seed: seed)
    }

    func add(
        isCrew: Bool = true, isHost: Bool = false,
        _ configuration: VoiceSession.Configuration = .init(mode: .pushToTalk)
    ) -> Person {
        let person = Person(people.count + 1, isCrew: isCrew, isHost: isHost, configuration)
        people.append(person)
        connect(person)
        return person
    }

    func connect(_ person: Person) {
        person.isConnected = true
        person.connection += 1
        person.joins = 0
        let secret = Self.secret(person)
        let offer = VoiceOffer(
            port: 9, channels: channels.map(\.offered), ptime: [5, 10, 20])
        perform(
            person.session.connected(to: offer) {
                ToyProtection(secret: secret &+ UInt8(clamping: $0), side: .guest)
            }, person)
    }

    func disconnect(_ person: Person) {
        guard person.isConnected else { return }
        person.isConnected = false
        perform(person.session.disconnected(), person)
        perform(room.leave(person.number, now: now))
    }

    private static func secret(_ person: Person) -> UInt8 {
        UInt8(truncatingIfNeeded: person.number * 31 + person.connection * 7)
    }

    /// The host says something to somebody.
    func tell(_ person: Person, _ message: VoiceMessage) {
        perform(person.session.take(message, now: now), person)
    }

    func setKey(_ person: Person, down: Bool) {
        let actions = person.session.setKey(down: down, now: now, &guestOutbox)
        perform(actions, person)
        flush(person)
    }

    func setTalking(_ person: Person, _ isWanted: Bool) {
        let actions = person.session.setTalking(isWanted, now: now, &guestOutbox)
        perform(actions, person)
        flush(person)
    }

    func move(_ person: Person, to channel: String) {
        let actions = person.session.move(to: channel, now: now, &guestOutbox)
        perform(actions, person)
        flush(person)
    }

    /// Nothing more comes from somebody's microphone.
    func endInput(of person: Person) {
        perform(person.session.endTalking(&guestOutbox), person)
        flush(person)
    }

    /// Somebody sends a datagram to the host.
    func inject(_ bytes: [UInt8], from address: Int) { deliver(bytes, from: address) }

    func run(seconds: Double) {
        for _ in 0..<Int(saturating: seconds * 200) { step() }
    }

    private func step() {
        now += .milliseconds(5)
        time += 240
        for datagram in toHost where datagram.at <= now {
            deliver(datagram.bytes, from: datagram.from)
        }
        toHost.removeAll { $0.at <= now }
        for datagram in toGuests where datagram.at <= now {
            guard let person = people.first(where: { $0.address == datagram.to }) else { continue }
            var bytes = datagram.bytes
            perform(
                bytes.withUnsafeMutableBytes { person.session.receive($0, now: now) }, person)
        }
        toGuests.removeAll { $0.at <= now }
        for person in people { live(person) }
        if time % 4_800 == 0 {
            perform(room.tick(now: now, &outbox))
            flushHost()
        }
    }

    private func live(_ person: Person) {
        let mouth: [Float] =
            person.isSpeaking
            ? (time - 240..<time).map(Ruler.sample)
            : [Float](repeating: 0, count: 240)
        perform(
            mouth.withUnsafeBufferPointer {
                person.session.hear($0, now: now, &guestOutbox)
            }, person)
        var ear = [Float](repeating: 0, count: 240)
        ear.withUnsafeMutableBufferPointer { person.session.give($0, now: now) }
        person.delay = nil
        let talkers = people.count { $0 !== person && $0.session.isTalking }
        if talkers > 1 { person.readableFrom = now + .seconds(1) }
        // What is mixed of two cannot be told apart; of one it can.
        if now >= person.readableFrom,
            case .said(let said) = Ruler.read(ear[120..<144], heardAt: time + 120)
        {
            let delay = Double(time + 120 - said) / 48
            person.delay = delay
            person.delays.append(delay)
        }
        if time % 4_800 == 0 { perform(person.session.tick(now: now, &guestOutbox), person) }
        flush(person)
    }

    // MARK: The ways

    private func flush(_ person: Person) {
        for datagram in guestOutbox.datagrams {
            let bytes = Array(guestOutbox.bytes[datagram.range])
            overheard.append(bytes)
            guard !person.isUDPBlocked, !isLost(person) else { continue }
            toHost.append((now + delay, person.address, bytes))
        }
        guestOutbox.clear()
    }

    private func flushHost() {
        for datagram in outbox.datagrams {
            answers += 1
            let person = people.first { $0.address == datagram.address }
            guard person?.isUDPBlocked != true, person.map(isLost) != true else { continue }
            toGuests.append((now + delay, datagram.address, Array(outbox.bytes[datagram.range])))
        }
        outbox.clear()
    }

    private func isLost(_ person: Person) -> Bool {
        Double.random(in: 0..<1, using: &generator) < person.loss
    }

    private var delay: Duration {
        .microseconds(Int.random(in: 300...1_500, using: &generator))
    }

    private func deliver(_ bytes: [UInt8], from address: Int) {
        var bytes = bytes
        perform(
            bytes.withUnsafeMutableBytes {
                room.receive($0, from: address, now: now, &outbox)
            })
        flushHost()
    }

    // MARK: The connections

    private func perform(_ actions: [VoiceRoom<Int, Int>.Action]) {
        for case .hear(let voice) in actions { heard.append(voice) }
        for case .say(let message, let number) in actions {
            guard let person = people.first(where: { $0.number == number }), person.isConnected
            else { continue }
            if case .wish(let wish) = message { person.wishes.append(wish) }
            perform(person.session.take(message, now: now), person)
        }
    }

    private func perform(_ actions: [VoiceSession.Action], _ person: Person) {
        for action in actions {
            switch action {
            case .tell(let event): person.events.append(event)
            case .say(let message):
                guard person.isConnected else { continue }
                hear(message, from: person)
            }
        }
    }

    private func hear(_ message: VoiceMessage, from person: Person) {
        switch message {
        case .join(let join):
            let key = person.joins
            person.joins &+= 1
            var applicant = VoiceRoom<Int, Int>.Applicant(
                id: person.number, name: "person \(person.number)", isCrew: person.isCrew,
                key: key
            ) { ToyProtection(secret: Self.secret(person) &+ UInt8(clamping: key), side: .host) }
            applicant.isHost = person.isHost
            if person.isHost { applicant.usual = TalkShape(frame: 20, bitrate: 64_000) }
            perform(room.join(applicant, join, now: now))
        case .talk(let talk): perform(room.talk(talk, by: person.number, now: now))
        case .packet(let packet):
            perform(room.receive(packet, from: person.number, now: now, &outbox))
            flushHost()
        default: break
        }
    }
}
