public import BeamscribeCore
import FoundationEssentials

/// A guest's side of voices: what it hears of others, and what others hear of it.
///
///     apart --the host offers voices--> joining --joined--> here --the connection ends--> apart
///
/// Sound goes in and out, messages and packets go in and out; it has no clock, no socket and no device. All times
/// are the guest's own.
///
/// Invariant: there are people, a path, keys and a move only while it is here.
public final class VoiceSession {
    /// What a guest wants.
    public typealias Configuration = TalkConfiguration
    /// What the user is told.
    public typealias Event = VoiceEvent

    /// What is to be done.
    public enum Action: Equatable, Sendable {
        /// Say this to the host, over the connection.
        case say(VoiceMessage)
        /// Tell the user.
        case tell(Event)
    }

    /// By what packets go, for a connection.
    public typealias Protect = (_ key: UInt32) -> (any VoiceProtection)?

    private enum Phase {
        case apart
        case joining
        case here(Here)
    }
    private struct Here {
        let source: UInt32
        let protection: any VoiceProtection
        var packets: TalkPackets
        var path: VoicePath
    }

    /// The host was asked for another place.
    private struct Move {
        let place: VoicePlace
        /// When; nil once it has said no. A no to a talk may have been meant, and the yes to this is yet to come.
        var since: Duration?
    }

    /// For how long the host may not answer.
    private static let patience: Duration = .seconds(5)

    private let configuration: Configuration
    private let encoder: any AudioEncoder
    private let decoder: () -> (any AudioDecoder)?
    private var generator: SeededGenerator
    private let name: String
    private var phase = Phase.apart
    /// Where it is, or wants to be once there is a connection.
    private var place: VoicePlace
    private var move: Move?
    /// What the host has, as far as a guest may know.
    private var offered: [VoiceOffer.Channel] = []
    private var protect: Protect = { _ in nil }
    private var people: [UInt32: VoicePerson] = [:]
    private var gate: TalkGate
    private var refusals = RefusedTalks()
    /// Whether anything may still be said.
    private var hasVoice = true
    private var mixer = Mixer()
    private var volumes = PersonalVolumes()
    private var wished: TalkShape
    private var lastSecond: Duration = .zero
    private var lastTick: Duration?
    /// Whether the own words become captions; nil before the host has said so.
    private var isCaptioned: Bool?
    /// Packets that were dropped.
    public private(set) var faults = PacketFaults()

    /// - Parameters:
    ///   - encoder: of the own microphone.
    ///   - decoder: makes one for each who talks.
    ///   - seed: for what is left to chance.
    public init(
        _ configuration: Configuration, encoder: any AudioEncoder,
        decoder: @escaping () -> (any AudioDecoder)?, seed: UInt64
    ) {
        (self.configuration, self.encoder, self.decoder) = (configuration, encoder, decoder)
        generator = SeededGenerator(seed: seed)
        name = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36)
        gate = TalkGate(mode: configuration.mode)
        wished = configuration.shape
        place = configuration.place
    }

    // MARK: What there is to be seen

    /// Whether it is on its channels.
    public var isHere: Bool { if case .here = phase { true } else { false } }

    /// Whether others hear it.
    public var isTalking: Bool { isHere && gate.isOpen }

    /// Whether the microphone is to be open: somebody would hear it, and a talk is wanted.
    public var isTalkWanted: Bool { isHere && place.talksOn != nil && gate.isWanted }

    /// The channel that it is there for.
    public var channel: String? { place.channel }

    /// The channels of the host for which it might leave its own.
    ///
    /// - Parameter isCrew: whether it has proved the crew's code.
    public func channels(isCrew: Bool) -> [String] {
        guard isHere else { return [] }
        let talks = configuration.talksOn != nil
        return offered.filter { channel in
            isCrew && channel.code == true || channel.hear && (channel.talk || !talks)
        }.map(\.name)
    }

    /// Whether the microphone may not be used, though no key opens it.
    public var isMuted: Bool { gate.isMuted }

    /// The microphone's level, in decibels of full scale.
    public var level: Double { gate.level }

    /// The others, in the order of their names.
    public func others(now: Duration) -> [VoicePersonState] {
        people.values.map { $0.state(now: now) }.sorted {
            ($0.name, $0.source) < ($1.name, $1.source)
        }
    }

    // MARK: The connection

    /// There is a connection, to a host that offers this.
    ///
    /// - Parameter protect: gives what protects packets by one of the connection's keys.
    public func connected(
        to offer: VoiceOffer?, protect: @escaping Protect
    ) -> [Action] {
        let gone = disconnected()
        guard let offer else { return gone + [.tell(.noVoices)] }
        offered = offer.channels.prefix(Limits.channels).filter { VoiceChannel.isName($0.name) }
        self.protect = protect
        phase = .joining
        return gone + [.say(.join(place.join))]
    }

    /// The connection is gone. Whoever talks has to begin again.
    public func disconnected() -> [Action] {
        if case .apart = phase { return [] }
        let wasHere = isHere
        return leave() + (wasHere ? [.tell(.apart)] : [])
    }

    /// Leaves all channels. A talk ends with that: a key has to be pressed again.
    private func leave() -> [Action] {
        phase = .apart
        (people, move, isCaptioned) = ([:], nil, nil)
        wished = configuration.shape
        // A microphone without a key opens by itself once there is somebody to hear it.
        let news = gate.letGo().flatMap { refusals.news(of: $0) }
        refusals.forget()
        return news.map { .tell($0) }
    }

    /// The host says something.
    public func take(_ message: VoiceMessage, now: Duration) -> [Action] {
        switch message {
        case .joined(let joined): return join(joined, now: now)
        case .refused(let refused): return refuse(refused)
        case .peer(let peer): return meet(peer)
        case .talk(let talk): return hear(of: talk)
        case .wish(let wish):
            wished = configuration.shape.following(
                TalkShape(
                    frame: wish.ptime, bitrate: wish.bitrate, redundancy: wish.redundancy
                ).clamped)
            settleShape()
            return []
        case .packet(let packet):
            var bytes = Array(packet.data.prefix(Limits.datagram))
            return bytes.withUnsafeMutableBytes {
                receive($0, isTunnelled: true, now: now)
            }
        case .captioned(let captioned): return learn(captioned)
        case .join, .code: return []
        }
    }

    /// Said again it is no news.
    private func learn(_ captioned: VoiceCaptioned) -> [Action] {
        guard isHere, captioned.on != isCaptioned else { return [] }
        isCaptioned = captioned.on
        return [.tell(.captioned(captioned))]
    }

    private func join(_ joined: VoiceJoined, now: Duration) -> [Action] {
        switch phase {
        case .apart: return []
        case .joining: return enter(joined, now: now) + (isHere ? [.tell(.ready)] : [])
        case .here(let here):
            // One source has one key stream, whatever the host says.
            guard let asked = move, joined.ssrc != here.source else { return [] }
            place = asked.place
            (people, move, isCaptioned) = ([:], nil, nil)
            wished = configuration.shape
            let news = place.channel.map { Action.tell(.moved(to: $0)) }
            return enter(joined, now: now) + (isHere ? [news].compactMap(\.self) : [])
        }
    }

    private func enter(_ joined: VoiceJoined, now: Duration) -> [Action] {
        guard let protection = protect(joined.key) else {
            return leave() + [.tell(.refused(.off))]
        }
        let packets = TalkPackets(
            source: joined.ssrc, shape: wished, encoder: encoder, seed: generator.next())
        phase = .here(
            Here(
                source: joined.ssrc, protection: protection, packets: packets,
                path: VoicePath(now: now)))
        return []
    }

    /// Leaves the channel for another: nothing where it is there already, is not here, or is on its way.
    public func move(
        to channel: String, now: Duration, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        let other = configuration.place(on: channel)
        guard isHere, !isMoving, other != place else { return [] }
        let ended = perform(gate.letGo(), &outbox)
        refusals.forget()
        move = Move(place: other, since: now)
        return ended + [.say(.join(other.join))]
    }

    private var isMoving: Bool { move?.since != nil }

    private func stay(_ reason: VoiceRefused.Reason?) -> [Action] {
        move?.since = nil
        return [.tell(.stayed(reason))]
    }

    private func refuse(_ refused: VoiceRefused) -> [Action] {
        let reason = VoiceRefused.Reason(rawValue: refused.reason)
        if isMoving, reason != .off { return stay(reason) }
        if case .here(var here) = phase, reason == .full || reason == .noRight {
            let news = refusals.refused(gate.refused(), isTriedAgain: !gate.hasKey)
            // What is left of it is of no use. That it has ended lets the next one be asked for.
            _ = here.packets.end()
            phase = .here(here)
            let end = VoiceTalk(on: false, ts: here.packets.timestamp)
            return news.map { .tell($0) } + [.say(.talk(end))]
        }
        return leave() + [.tell(.refused(reason))]
    }

    private func meet(_ peer: VoicePeer) -> [Action] {
        guard case .here(let here) = phase, let state = VoicePeer.State(rawValue: peer.state)
        else { return [] }
        guard let person = people[peer.ssrc] else {
            guard state != .gone, people.count < Limits.listeners, let decoder = decoder() else {
                return []
            }
            let person = VoicePerson(
                peer, decoder: decoder, fixedDelay: configuration.fixedDelay)
            person.gain = gain(of: person.name, on: person.channel)
            people[peer.ssrc] = person
            let isTalking = person.setTalking(state == .talking)
            return tell(of: person, .came) + (isTalking ? tell(of: person, .talks) : [])
        }
        if state == .gone {
            people[peer.ssrc] = nil
            here.protection.forget(peer.ssrc)
            return tell(of: person, .left)
        }
        guard person.setTalking(state == .talking) else { return [] }
        return tell(of: person, person.isTalking ? .talks : .stopped)
    }

    private func tell(of person: VoicePerson, _ news: VoiceEvent.PersonNews) -> [Action] {
        [.tell(.person(name: person.name, channel: person.channel, news))]
    }

    private func hear(of talk: VoiceTalk) -> [Action] {
        guard let source = talk.ssrc, let person = people[source] else { return [] }
        if !talk.on { person.buffer.endTalk(at: talk.ts) }
        guard person.setTalking(talk.on) else { return [] }
        return tell(of: person, talk.on ? .talks : .stopped)
    }

    // MARK: Packets

    /// A datagram came from the host's address.
    ///
    /// - Parameter packet: it, where it lies; it is opened there.
    public func receive(_ packet: UnsafeMutableRawBufferPointer, now: Duration) -> [Action] {
        receive(packet, isTunnelled: false, now: now)
    }

    private func receive(
        _ packet: UnsafeMutableRawBufferPointer, isTunnelled: Bool, now: Duration
    ) -> [Action] {
        guard case .here(var here) = phase else { return [] }
        var actions: [Action] = []
        let bytes = UnsafeRawBufferPointer(packet)
        do throws(PacketFault) {
            guard packet.count <= Limits.datagram else { throw .bounds }
            let isControl = RTCPPacket.isControl(bytes)
            let person = isControl ? nil : people[try RTPHeader(parsing: bytes).source]
            guard isControl || person != nil else { throw .source }
            guard let count = here.protection.open(packet) else { throw .protection }
            if !isTunnelled, here.path.heard(now: now) {
                actions.append(.tell(.path(isTunnelled: false)))
            }
            phase = .here(here)
            let opened = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            if let person { try person.put(RTPPacket(parsing: opened), now: now) }
        } catch {
            faults.count(error)
        }
        if !actions.isEmpty { settleShape() }
        return actions
    }

    // MARK: The own voice

    /// Whether somebody could hear what is said now.
    private var canTalk: Bool { isHere && !isMoving && place.talksOn != nil && hasVoice }

    /// The key for talking is pressed or released.
    public func setKey(
        down: Bool, now: Duration, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        guard canTalk else { return [] }
        return perform(gate.setKey(down: down), &outbox)
    }

    /// A talk is to begin, or to end, whatever opens the microphone: where no key does, it is muted.
    public func setTalking(
        _ isWanted: Bool, now: Duration, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        refusals.forget()
        let events = gate.setWanted(isWanted)
        guard canTalk else {
            // Nobody hears it.
            _ = gate.letGo()
            return []
        }
        return perform(events, &outbox)
    }

    /// The same, for who has one key for both.
    public func toggleTalking(
        now: Duration, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        setTalking(!gate.isWanted, now: now, &outbox)
    }

    // MARK: How loud others are

    /// Makes those of a name louder or quieter, also when they come back.
    ///
    /// - Parameter decibels: more than their channel's.
    /// - Returns: whether there is somebody of that name.
    public func setVolume(of name: String, decibels: Double) -> Bool {
        volumes.set(decibels, of: name)
        return settleVolume(of: name)
    }

    /// Hears nothing of those of a name, or hears them again.
    ///
    /// - Returns: whether there is somebody of that name.
    public func setMuted(_ isMuted: Bool, name: String) -> Bool {
        volumes.setMuted(isMuted, of: name)
        return settleVolume(of: name)
    }

    private func settleVolume(of name: String) -> Bool {
        let meant = people.values.filter { $0.name == name }
        for person in meant { person.gain = gain(of: person.name, on: person.channel) }
        return !meant.isEmpty
    }

    private func gain(of name: String, on channel: String) -> Float {
        volumes.gain(of: name, besides: place.hears[channel] ?? 0)
    }

    /// The microphone has heard something.
    ///
    /// - Parameters:
    ///   - samples: 48 kHz, mono.
    ///   - dropped: how many of them the device has lost before.
    public func hear(
        _ samples: UnsafeBufferPointer<Float>, dropped: Int = 0, now: Duration,
        _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        guard canTalk, case .here(var here) = phase else { return [] }
        let events = gate.hear(samples)
        // What opens the gate is part of the talk, what closes it is not.
        let actions = perform(events, &outbox)
        guard case .here(let current) = phase else { return actions }
        here = current
        let made = here.packets.hear(samples, dropped: dropped)
        phase = .here(here)
        let news = refusals.heard(OpusPacket.milliseconds(of: samples.count))
        return actions + news.map { .tell($0) } + made.flatMap { send($0.bytes, &outbox) }
    }

    /// There is nothing more to be said.
    public func endTalking(_ outbox: inout VoiceOutbox<VoiceHost>) -> [Action] {
        hasVoice = false
        return perform(gate.letGo(), &outbox)
    }

    private func perform(
        _ events: [TalkGate.Event], _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        events.flatMap { event -> [Action] in
            refusals.news(of: event).map { .tell($0) } + follow(event, &outbox)
        }
    }

    private func follow(
        _ event: TalkGate.Event, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        guard case .here(var here) = phase else { return [] }
        switch event {
        case .began(let lookBack):
            here.packets.begin(lookBack: lookBack)
            phase = .here(here)
            let talk = VoiceTalk(on: true, ts: here.packets.timestamp)
            return [.say(.talk(talk))]
        case .ended, .fellBack:
            let rest = here.packets.end()
            phase = .here(here)
            let talk = VoiceTalk(
                on: false, ts: here.packets.lastTimestamp ?? here.packets.timestamp)
            return rest.flatMap { send($0.bytes, &outbox) } + [.say(.talk(talk))]
        case .endsSoon, .microphoneIsSilent, .microphoneClips: return []
        }
    }

    private func send(
        _ packet: [UInt8], byUDP: Bool = false, _ outbox: inout VoiceOutbox<VoiceHost>
    ) -> [Action] {
        guard case .here(let here) = phase else { return [] }
        return packet.withUnsafeBytes { bytes -> [Action] in
            guard here.path.isTunnelled, !byUDP else {
                outbox.add(bytes, by: here.protection, to: .host)
                return []
            }
            let protected = outbox.packet(bytes, by: here.protection)
            return protected.map { [.say(.packet(VoicePacket(data: Data($0))))] } ?? []
        }
    }

    /// Over the connection nothing is lost, and each packet costs more.
    private func settleShape() {
        guard case .here(var here) = phase else { return }
        var shape = wished
        if here.path.isTunnelled { (shape.frame, shape.redundancy) = (20, 0) }
        here.packets.setShape(shape)
        phase = .here(here)
    }

    // MARK: What is heard

    /// Gives what is to be heard next.
    ///
    /// - Parameter buffer: as long as is wanted at once.
    public func give(_ buffer: UnsafeMutableBufferPointer<Float>, now: Duration) {
        let sounds = people.values.sorted { $0.source < $1.source }.map { person in
            (person, person.take(buffer.count, now: now))
        }
        mix(sounds[...], [], into: buffer)
    }

    /// Their sound has to stay where it is while it is mixed.
    private func mix(
        _ sounds: ArraySlice<(VoicePerson, [Float])>, _ voices: [Mixer.Voice],
        into buffer: UnsafeMutableBufferPointer<Float>
    ) {
        guard let (person, sound) = sounds.first else { return mixer.mix(voices, into: buffer) }
        sound.withUnsafeBufferPointer { samples in
            let voice = Mixer.Voice(source: person.source, gain: person.gain, samples: samples)
            mix(sounds.dropFirst(), voices + [voice], into: buffer)
        }
    }

    // MARK: Time

    /// Time has passed; to be called a few times a second.
    public func tick(now: Duration, _ outbox: inout VoiceOutbox<VoiceHost>) -> [Action] {
        defer { lastTick = now }
        if now - lastSecond >= .seconds(1) {
            lastSecond = now
            people.values.forEach { $0.secondPassed() }
        }
        guard case .here(var here) = phase else { return [] }
        if let lastTick, now - lastTick > .seconds(1) { here.path.forgiveAbsence(now: now) }
        let (isNews, due) = here.path.tick(
            isHearing: people.values.contains { $0.isTalking }, now: now)
        phase = .here(here)
        var actions: [Action] = []
        if let since = move?.since, now - since > Self.patience { actions += stay(nil) }
        if isNews {
            settleShape()
            actions.append(.tell(.path(isTunnelled: true)))
        }
        switch due {
        case .nothing: break
        case .report: actions += send(report(by: here.source), &outbox)
        case .probe:
            actions += send(report(by: here.source), &outbox)
            actions += send(report(by: here.source), byUDP: true, &outbox)
        }
        return actions
    }

    private func report(by source: UInt32) -> [UInt8] {
        let heard = people.values.filter { $0.lastPacket != nil }.sorted { $0.source < $1.source }
            .prefix(Limits.talkers)
        return RTCPPacket(
            source: source, reports: heard.map { $0.buffer.report(of: $0.source) },
            losses: heard.compactMap { $0.buffer.losses(of: $0.source) }, name: name
        ).bytes
    }
}

/// Where a guest's datagrams go.
public enum VoiceHost: Sendable {
    /// To its host.
    case host
}
