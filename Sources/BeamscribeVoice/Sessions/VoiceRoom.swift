public import BeamscribeCore
import FoundationEssentials

/// The host's side of voices: who is on which channel, and who gets whose packets. It forwards and mixes nothing.
///
/// What guests say over their connections goes in as messages, their packets as bytes where they lie. Out come
/// messages, and datagrams in an outbox. It has no clock and no socket.
///
/// A source is given by the room, and never twice: with AES-GCM a source that came again with the same key would
/// give the key stream away.
///
/// Invariant: a member is in `members` by its id and in `sources` by its source, or in neither.
public final class VoiceRoom<ID: Hashable & Comparable & Sendable, Address: Equatable> {
    /// What a room is.
    public struct Configuration: Sendable {
        /// What there is to be heard.
        public var channels: [VoiceChannel]
        /// How many may talk on a channel at once.
        public var maximumTalkers: Int
        /// How many may be here at once.
        public var maximumListeners: Int
        /// What packets are like where nothing is wrong.
        public var usual: TalkShape
        /// The channels to which the host listens itself.
        public var captioned: Set<String> = []

        /// A room with the usual limits.
        public init(
            channels: [VoiceChannel], maximumTalkers: Int = Limits.talkers,
            maximumListeners: Int = Limits.listeners,
            usual: TalkShape = TalkShape(frame: 10, bitrate: 40_000)
        ) {
            self.channels = Array(channels.prefix(Limits.channels))
            (self.maximumTalkers, self.maximumListeners) = (maximumTalkers, maximumListeners)
            self.usual = usual
        }
    }

    /// What is to be done.
    public enum Action: Equatable {
        /// Say this to somebody.
        case say(VoiceMessage, to: ID)
        /// The host has heard this on one of ``Configuration/captioned``.
        case hear(HeardVoice<ID>)
    }

    private typealias Member = VoiceMember<ID, Address>
    private typealias Legs = VoiceLegs<ID, Address>

    /// Without packets for so long a talk is over, whatever was said.
    private static var silence: Duration { .seconds(2) }
    /// How often a member is told that it is heard.
    private static var reporting: Duration { .seconds(2) }
    /// How long a report of what arrives counts.
    private static var memory: Duration { .seconds(5) }

    private let configuration: Configuration
    private var members: [ID: Member] = [:]
    private var sources: [UInt32: Member] = [:]
    /// Who hears each channel, in an order that no hash table decides; made anew when somebody comes or goes.
    private var audiences: [String: [Member]] = [:]
    /// How they are reached; made anew when that changes.
    private var legs: [String: Legs] = [:]
    /// How much guests may say, also those who come and go.
    private var words: [ID: WordAllowance] = [:]
    private var places: VoicePlaces<ID>
    /// By their devices, as they were.
    private var putOut: [String: VoiceParticipant] = [:]
    private var given: Set<UInt32> = []
    private let own: UInt32
    private let name: String
    private var generator: SeededGenerator
    /// Packets that were dropped.
    public private(set) var faults = PacketFaults()
    /// Packets that were passed on.
    public private(set) var forwarded = 0

    /// - Parameter seed: for what is left to chance: it must not be guessed.
    public init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        places = VoicePlaces(configuration.maximumListeners)
        generator = SeededGenerator(seed: seed)
        own = UInt32.random(in: 1 ... .max, using: &generator)
        name = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36)
        given = [own]
    }

    /// How many are here.
    public var count: Int { members.count }

    // MARK: Channels

    private func channel(_ name: String) -> VoiceChannel? {
        configuration.channels.first { $0.name == name }
    }

    private func refusal(
        of join: VoiceJoin, by applicant: Applicant
    ) -> VoiceRefused.Reason? {
        let names = join.channels + (join.talk.map { [$0] } ?? [])
        let wanted = names.map(channel)
        guard !wanted.contains(where: { $0 == nil }) else { return .noChannel }
        let (isCrew, isHost) = (applicant.isCrew, applicant.isHost)
        let mayHear = join.channels.compactMap(channel).allSatisfy {
            $0.hear.admits(isCrew: isCrew, isHost: isHost)
        }
        let place = join.talk.flatMap(channel)
        let mayTalk = place?.talk.admits(isCrew: isCrew, isHost: isHost) ?? true
        return mayHear && mayTalk ? nil : .noRight
    }

    // MARK: Members

    /// A guest wants to be on channels, or on others than before; without any it goes.
    public func join(_ applicant: Applicant, _ join: VoiceJoin, now: Duration) -> [Action] {
        guard words[applicant.id, default: .init()].take(now: now) else { return [] }
        guard !join.channels.isEmpty || join.talk != nil else {
            return end(applicant.id, now: now)
        }
        guard applicant.isHost || putOut[applicant.device] == nil else {
            return [.say(.refused(VoiceRefused(.off)), to: applicant.id)]
        }
        if let reason = refusal(of: join, by: applicant) {
            return [.say(.refused(VoiceRefused(reason)), to: applicant.id)]
        }
        guard let member = members[applicant.id] else { return enter(applicant, join, now: now) }
        if member.isOn(join) { return [.say(.joined(place(of: member)), to: member.id)] }
        // Of a source that goes others forget how far it was, and what has come of it: it does not come back.
        return end(applicant.id, now: now) + enter(applicant, join, now: now)
    }

    private func enter(_ applicant: Applicant, _ join: VoiceJoin, now: Duration) -> [Action] {
        let place = place(for: applicant)
        guard place != .none else {
            return [.say(.refused(VoiceRefused(.full)), to: applicant.id)]
        }
        guard let protection = applicant.protect() else {
            return [.say(.refused(VoiceRefused(.off)), to: applicant.id)]
        }
        var actions: [Action] = []
        if case .taken(let other) = place { actions += putOut(other, now: now) }
        if !applicant.isHost {
            places.take(applicant.id, from: applicant.origin, isCrew: applicant.isCrew)
        }
        let member = Member(
            applicant, join, source: newSource(), protection: protection,
            usual: applicant.usual ?? configuration.usual)
        members[member.id] = member
        sources[member.source] = member
        (audiences, legs) = ([:], [:])
        actions.append(.say(.joined(self.place(of: member)), to: member.id))
        return actions + tell(of: member, .here) + introduceOthers(to: member)
    }

    private func place(of member: Member) -> VoiceJoined {
        VoiceJoined(
            ssrc: member.source, key: member.key, maxTalkers: configuration.maximumTalkers)
    }

    /// The host itself takes nobody's.
    private func place(for applicant: Applicant) -> VoicePlaces<ID>.Place {
        applicant.isHost
            ? .free
            : places.place(
                from: applicant.origin, isCrew: applicant.isCrew, using: &generator)
    }

    private func newSource() -> UInt32 {
        while true {
            let source = UInt32.random(in: 1 ... .max, using: &generator)
            if given.insert(source).inserted { return source }
        }
    }

    /// A guest's connection is gone.
    public func leave(_ id: ID, now: Duration) -> [Action] {
        words[id] = nil
        return end(id, now: now)
    }

    private func putOut(_ id: ID, now: Duration) -> [Action] {
        [.say(.refused(VoiceRefused(.off)), to: id)] + end(id, now: now)
    }

    // MARK: Who runs the event

    /// Who is here but the host itself, those who may talk first, and then who was put out.
    public var participants: [VoiceParticipant] {
        let present = inOrder.filter { !$0.isHost }.map { participant($0) }
        return present.filter { $0.channel != nil } + present.filter { $0.channel == nil }
            + putOut.values.sorted { ($0.name, $0.device) < ($1.name, $1.device) }
    }

    private func participant(_ member: Member) -> VoiceParticipant {
        let isTalking = if case .talking = member.talk { true } else { false }
        return VoiceParticipant(
            device: member.device, name: member.name, channel: member.talksOn, isTalking: isTalking)
    }

    /// Puts out who comes from a device, and lets nobody in from there any more.
    public func putOut(device: String, now: Duration) -> [Action] {
        let members = inOrder.filter { !$0.isHost && $0.device == device }
        guard let first = members.first else { return [] }
        putOut[device] = participant(first)
        putOut[device]?.isTalking = false
        putOut[device]?.isPutOut = true
        return members.flatMap { putOut($0.id, now: now) }
    }

    /// Lets who comes from a device in again.
    public func letIn(device: String) { putOut[device] = nil }

    private func end(_ id: ID, now: Duration) -> [Action] {
        guard let member = members[id] else { return [] }
        places.leave(id)
        var actions = endTalk(of: member, at: nil, now: now) + tell(of: member, .gone)
        if isCaptioned(member) { actions.append(.hear(.gone(member.id))) }
        members[id] = nil
        sources[member.source] = nil
        (audiences, legs) = ([:], [:])
        for other in members.values {
            other.protection.forget(member.source)
            other.qualities[member.source] = nil
        }
        return actions
    }

    /// Whether the host listens itself to what a member says.
    private func isCaptioned(_ member: Member) -> Bool {
        member.talksOn.map(configuration.captioned.contains) ?? false
    }

    /// In an order that no hash table decides.
    private var inOrder: [Member] { members.values.sorted { $0.id < $1.id } }

    /// Those who hear somebody.
    private func listeners(of member: Member) -> [Member] {
        guard let channel = member.talksOn else { return [] }
        return audience(of: channel).filter { $0 !== member }
    }

    private func hears(_ member: Member, _ talker: Member) -> Bool {
        talker.talksOn.map(member.hears.contains) ?? false
    }

    private func audience(of channel: String) -> [Member] {
        if let known = audiences[channel] { return known }
        let audience = inOrder.filter { $0.hears.contains(channel) }
        audiences[channel] = audience
        return audience
    }

    private func legs(to channel: String, now: Duration) -> Legs {
        if let known = legs[channel], known.holds(at: now) { return known }
        let made = Legs(to: audience(of: channel), now: now)
        legs[channel] = made
        return made
    }

    private func tell(of member: Member, _ state: VoicePeer.State) -> [Action] {
        guard let channel = member.talksOn else { return [] }
        let peer = VoicePeer(
            ssrc: member.source, name: member.name, channel: channel, state: state)
        return listeners(of: member).map { .say(.peer(peer), to: $0.id) }
    }

    private func introduceOthers(to member: Member) -> [Action] {
        inOrder.compactMap { other in
            guard other !== member, let channel = other.talksOn, member.hears.contains(channel)
            else { return nil }
            let isTalking = if case .talking = other.talk { true } else { false }
            let peer = VoicePeer(
                ssrc: other.source, name: other.name, channel: channel,
                state: isTalking ? .talking : .here)
            return .say(.peer(peer), to: member.id)
        }
    }

    // MARK: Talks

    /// A guest says that it begins or ends a talk.
    public func talk(_ talk: VoiceTalk, by id: ID, now: Duration) -> [Action] {
        guard let member = members[id] else { return [] }
        // Nobody is told that a talk has ended which was refused: that it could begin anew costs nothing.
        if !talk.on, member.isRefused { return endTalk(of: member, at: talk.ts, now: now) }
        guard words[id, default: .init()].take(now: now) else { return [] }
        if talk.on, member.isRefused { member.talk = .silent }
        return talk.on
            ? beginTalk(of: member, at: talk.ts, now: now)
            : endTalk(of: member, at: talk.ts, now: now)
    }

    private func beginTalk(of member: Member, at timestamp: UInt32, now: Duration) -> [Action] {
        guard member.isSilent else { return [] }
        guard let name = member.talksOn else {
            member.talk = .refused(lastPacket: now)
            return [.say(.refused(VoiceRefused(.noRight)), to: member.id)]
        }
        let talkers = members.values.count { other in
            if case .talking = other.talk { other.talksOn == name } else { false }
        }
        guard talkers < configuration.maximumTalkers else {
            member.talk = .refused(lastPacket: now)
            return [.say(.refused(VoiceRefused(.full)), to: member.id)]
        }
        member.talk = .talking(lastPacket: now)
        let talk = VoiceTalk(ssrc: member.source, on: true, ts: timestamp)
        return listeners(of: member).map { .say(.talk(talk), to: $0.id) }
    }

    /// - Parameter timestamp: of its last packet. Where nobody knows it, packets that do not come say it.
    private func endTalk(of member: Member, at timestamp: UInt32?, now: Duration) -> [Action] {
        guard !member.isSilent else { return [] }
        let wasHeard = !member.isRefused
        member.talk =
            timestamp.map { .ended(at: $0, since: now, wasHeard: wasHeard) } ?? .silent
        guard wasHeard else { return [] }
        guard let timestamp else { return tell(of: member, .here) }
        let talk = VoiceTalk(ssrc: member.source, on: false, ts: timestamp)
        let actions = listeners(of: member).map { Action.say(.talk(talk), to: $0.id) }
        let heard = HeardVoice.talkEnded(of: member.id, at: timestamp)
        return actions + (isCaptioned(member) ? [.hear(heard)] : [])
    }

    // MARK: Packets

    /// A datagram came.
    ///
    /// - Parameters:
    ///   - packet: it, where it lies; it is opened there.
    ///   - outbox: gets what is to be sent for it.
    public func receive(
        _ packet: UnsafeMutableRawBufferPointer, from address: Address, now: Duration,
        _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        receive(packet, from: address, by: nil, now: now, &outbox)
    }

    /// A packet came by a guest's connection.
    public func receive(
        _ packet: VoicePacket, from id: ID, now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        guard let member = members[id], packet.data.count <= Limits.datagram else { return [] }
        var bytes = Array(packet.data)
        return bytes.withUnsafeMutableBytes {
            receive($0, from: nil, by: member, now: now, &outbox)
        }
    }

    private func receive(
        _ packet: UnsafeMutableRawBufferPointer, from address: Address?, by sender: Member?,
        now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        let bytes = UnsafeRawBufferPointer(packet)
        do throws(PacketFault) {
            guard packet.count <= Limits.datagram else { throw .bounds }
            if RTCPPacket.isControl(bytes) {
                return try receiveControl(packet, from: address, by: sender, now: now, &outbox)
            }
            let header = try RTPHeader(parsing: bytes)
            let member = try member(header.source, sender)
            guard let count = member.protection.open(packet) else { throw .protection }
            guard member.allowance.take(count, now: now) else { throw .flood }
            noteArrival(
                of: member, from: address, sequence: header.sequence, now: now, &outbox)
            let opened = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            try check(header, opened, of: member, now: now)
            if member.isOfEndedTalk(header.timestamp, now: now) {
                return forwardRest(opened, of: member, now: now, &outbox)
            }
            let actions = beginTalk(of: member, at: header.timestamp, now: now)
            member.spoke(now: now)
            guard case .talking = member.talk else { return actions }
            return actions + forward(opened, of: member, now: now, &outbox)
        } catch {
            faults.count(error)
            return []
        }
    }

    /// Of somebody else's connection only his own packets count.
    private func member(
        _ source: UInt32, _ sender: Member?
    ) throws(PacketFault) -> Member {
        guard let member = sources[source], sender == nil || sender === member else {
            throw .source
        }
        return member
    }

    private func noteArrival(
        of member: Member, from address: Address?, sequence: UInt16? = nil,
        control: UInt32? = nil, now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) {
        let (wasTunnelled, wasReached) = (
            member.isTunnelled(now: now), member.address(now: now) != nil
        )
        guard let address else {
            if !wasTunnelled { legs = [:] }
            return member.tunnelled(now: now)
        }
        let hasMoved = member.arrived(
            from: address, sequence: sequence, control: control, now: now)
        if hasMoved || !wasReached { legs = [:] }
        if hasMoved { report(to: member, now: now, &outbox) }
    }

    private func check(
        _ header: RTPHeader, _ packet: UnsafeRawBufferPointer, of member: Member, now: Duration
    ) throws(PacketFault) {
        guard VoicePayload(rawValue: header.payloadType) != nil else { throw .payloadType }
        let payload = try RTPHeader.payload(of: packet)
        guard !payload.isEmpty else { throw .audio }
        if !member.counter.arrived(sequence: header.sequence, transit: nil) {
            member.counter.reset()
            _ = member.counter.arrived(sequence: header.sequence, transit: nil)
            faults.count(.leap)
        }
    }

    private func forward(
        _ packet: UnsafeRawBufferPointer, of member: Member, now: Duration,
        _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        guard let channel = member.talksOn else { return [] }
        let legs = legs(to: channel, now: now)
        outbox.add(packet, to: legs, from: member.source)
        var actions = legs.tunnelled.compactMap { listener in
            listener === member ? nil : tunnel(packet, to: listener, &outbox)
        }
        if configuration.captioned.contains(channel) {
            let heard = HeardVoice.packet(
                Array(packet), of: member.id, named: member.name, on: channel, at: now)
            actions.append(.hear(heard))
        }
        forwarded += 1
        return actions
    }

    /// What was sent before a talk's end, and comes behind the word.
    private func forwardRest(
        _ packet: UnsafeRawBufferPointer, of member: Member, now: Duration,
        _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        guard case .ended(_, _, wasHeard: true) = member.talk else { return [] }
        return forward(packet, of: member, now: now, &outbox)
    }

    private func tunnel(
        _ packet: UnsafeRawBufferPointer, to member: Member, _ outbox: inout VoiceOutbox<Address>
    ) -> Action? {
        outbox.packet(packet, by: member.protection).map {
            .say(.packet(VoicePacket(data: Data($0))), to: member.id)
        }
    }

    // MARK: Control

    private func receiveControl(
        _ packet: UnsafeMutableRawBufferPointer, from address: Address?, by sender: Member?,
        now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) throws(PacketFault) -> [Action] {
        guard packet.count >= 8 + 4 else { throw .tooShort }
        let bytes = UnsafeRawBufferPointer(packet)
        let member = try member(bytes.bigEndian(UInt32.self, at: 4), sender)
        // Which of all it is stands at its end, and is authenticated along (RFC 7714, section 9).
        let index = bytes.bigEndian(UInt32.self, at: packet.count - 4) & 0x7FFF_FFFF
        guard let count = member.protection.open(packet) else { throw .protection }
        guard member.allowance.take(count, now: now) else { throw .flood }
        noteArrival(of: member, from: address, control: index, now: now, &outbox)
        let control = try RTCPPacket(parsing: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        // What follows from it is seen with the next tick: one packet may report of many.
        for report in control.reports {
            guard let talker = sources[report.source], talker !== member, hears(member, talker)
            else { continue }
            let losses = control.losses.first { $0.source == report.source }
            let quality = LinkQuality(
                loss: losses?.loss ?? Double(report.fractionLost) / 256,
                longestRun: losses?.longestRun ?? 0,
                jitter: Double(report.jitter) * 1_000 / Double(OpusPacket.clock))
            talker.qualities[member.source] = (quality, now)
        }
        return address == nil ? reportByConnection(to: member, now: now, &outbox) : []
    }

    private func adapt(_ talker: Member, now: Duration) -> [Action] {
        talker.qualities = talker.qualities.filter { now - $0.value.at <= Self.memory }
        let isNews = talker.adaptation.update(
            talker.qualities.values.map(\.quality), now: now)
        guard isNews else { return [] }
        let shape = talker.adaptation.shape
        let wish = VoiceWish(
            ssrc: talker.source, redundancy: shape.redundancy, ptime: shape.frame,
            bitrate: shape.bitrate)
        return [.say(.wish(wish), to: talker.id)]
    }

    private func reportBytes(to member: Member) -> [UInt8] {
        let reports = member.counter.expected > 0 ? [member.counter.report(of: member.source)] : []
        return RTCPPacket(source: own, reports: reports, name: name).bytes
    }

    /// Says to a member that it is heard.
    private func report(
        to member: Member, now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) {
        guard let address = member.address(now: now) else { return }
        member.lastReport = now
        reportBytes(to: member).withUnsafeBytes {
            outbox.add($0, by: member.protection, to: address)
        }
    }

    private func reportByConnection(
        to member: Member, now: Duration, _ outbox: inout VoiceOutbox<Address>
    ) -> [Action] {
        let bytes = reportBytes(to: member).withUnsafeBytes {
            outbox.packet($0, by: member.protection)
        }
        return bytes.map { [.say(.packet(VoicePacket(data: Data($0))), to: member.id)] } ?? []
    }

    // MARK: Time

    /// Time has passed; to be called a few times a second.
    public func tick(now: Duration, _ outbox: inout VoiceOutbox<Address>) -> [Action] {
        inOrder.flatMap { member -> [Action] in
            var actions: [Action] = []
            if let last = member.lastPacket, now - last > Self.silence {
                actions += endTalk(of: member, at: nil, now: now)
            }
            actions += adapt(member, now: now)
            if let heard = member.lastDatagram, now - heard < .seconds(6),
                now - (member.lastReport ?? heard - Self.reporting) >= Self.reporting
            {
                report(to: member, now: now, &outbox)
            }
            if member.allowance.isExhausted(now: now) {
                actions += putOut(member.id, now: now)
            }
            return actions
        }
    }
}

extension VoiceRoom.Action: Sendable {}
