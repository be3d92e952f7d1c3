import BeamscribeCore

/// Somebody who is on a host's channels: the host's side of it. On others it would be somebody else, with another source.
///
/// Invariant: whoever talks has a channel to talk on.
final class VoiceMember<ID: Hashable & Comparable & Sendable, Address: Equatable> {
    enum Talk: Equatable {
        case silent
        /// Since its first packet or word; what came last, when.
        case talking(lastPacket: Duration)
        /// It was told that it may not; until it ends that talk, or nothing more of it comes.
        case refused(lastPacket: Duration)
        /// It has said that its last packet has a timestamp. Words and packets go different ways: packets that were
        /// sent before may come behind the word.
        case ended(at: UInt32, since: Duration, wasHeard: Bool)
    }

    /// A guest reports every 2 s. Who has not for so long is gone from where it was, or has never been there.
    private static var absence: Duration { .seconds(10) }
    /// For so long it is reached by its connection alone, once it has sent a packet by that.
    private static var tunnelling: Duration { .seconds(4) }
    /// How long behind the word packets may come.
    private static var lateness: Duration { .seconds(1) }

    let id: ID
    let name: String
    let device: String
    let isHost: Bool
    let source: UInt32
    /// Which of the connection's keys its packets are protected with.
    let key: UInt32
    let protection: any VoiceProtection
    let hears: Set<String>
    let talksOn: String?
    var talk = Talk.silent
    var adaptation: LinkAdaptation
    var counter = ReceptionCounter()
    var allowance = SpeechAllowance()
    /// How its packets arrive at others, by their sources, and when they said so.
    var qualities: [UInt32: (quality: LinkQuality, at: Duration)] = [:]

    /// Whether its packets can come from somewhere.
    private let mayBeAt: (Address) -> Bool
    /// Where its packets come from; nil before any has come.
    private var address: Address?
    private(set) var lastDatagram: Duration?
    private var lastTunnelled: Duration?
    private var newestControl: UInt32?
    private var newestSequence: UInt16?
    /// When it was told last that it is heard.
    var lastReport: Duration?

    init(
        _ applicant: VoiceRoom<ID, Address>.Applicant, _ join: VoiceJoin, source: UInt32,
        protection: any VoiceProtection, usual: TalkShape
    ) {
        (id, name, key) = (applicant.id, applicant.name, applicant.key)
        (device, isHost) = (applicant.device, applicant.isHost)
        (hears, talksOn) = (Set(join.channels), join.talk)
        (self.source, self.protection, mayBeAt) = (source, protection, applicant.mayBeAt)
        adaptation = LinkAdaptation(usual: usual)
    }

    /// Whether it is where a guest wants to be.
    func isOn(_ join: VoiceJoin) -> Bool { hears == Set(join.channels) && talksOn == join.talk }

    /// Whether it is reached by its connection alone: it has sent a packet by that lately, which it does as long as
    /// the host does not seem to answer.
    func isTunnelled(now: Duration) -> Bool {
        lastTunnelled.map { now - $0 < Self.tunnelling } ?? false
    }

    /// Whether it talks though it was told that it may not.
    var isRefused: Bool { if case .refused = talk { true } else { false } }

    /// When the last packet of a talk came that is on, heard or not.
    var lastPacket: Duration? {
        switch talk {
        case .talking(let last), .refused(let last): last
        case .silent, .ended: nil
        }
    }

    /// A packet of the talk came that is on, heard or not.
    func spoke(now: Duration) {
        switch talk {
        case .talking: talk = .talking(lastPacket: now)
        case .refused: talk = .refused(lastPacket: now)
        case .silent, .ended: return
        }
    }

    /// Whether it may begin a talk.
    var isSilent: Bool {
        switch talk {
        case .silent, .ended: true
        case .talking, .refused: false
        }
    }

    /// Whether a packet is of the talk that has ended, though it comes behind the word.
    func isOfEndedTalk(_ timestamp: UInt32, now: Duration) -> Bool {
        guard case .ended(let end, let since, _) = talk, now - since < Self.lateness else {
            return false
        }
        return Int32(bitPattern: timestamp &- end) <= 0
    }

    /// Where packets for it go; nil where it has not been heard from lately.
    func address(now: Duration) -> Address? {
        lastDatagram.flatMap { now - $0 < Self.absence ? address : nil }
    }

    /// When it is reached in another way than now, where nothing more comes of it; nil for never.
    func change(after now: Duration) -> Duration? {
        [lastTunnelled.map { $0 + Self.tunnelling }, lastDatagram.map { $0 + Self.absence }]
            .compactMap { $0 }.filter { $0 > now }.min()
    }

    /// A packet of its own came by its connection.
    func tunnelled(now: Duration) { lastTunnelled = now }

    /// A datagram of its own came. What is newer than all before says where it is now; what was delayed, or
    /// is sent again by somebody else, does not. Nor does what seems to come from where its connection does not: whoever
    /// writes another's address on a packet is not to have all voices sent there.
    ///
    /// - Returns: whether it is somewhere else than before.
    func arrived(
        from address: Address, sequence: UInt16?, control: UInt32?, now: Duration
    ) -> Bool {
        guard address == self.address || mayBeAt(address) else { return false }
        lastDatagram = now
        var isNewer = false
        if let sequence {
            isNewer = newestSequence.map { Int16(bitPattern: sequence &- $0) > 0 } ?? true
            if isNewer { newestSequence = sequence }
        }
        if let control {
            isNewer = newestControl.map { control > $0 } ?? true
            if isNewer { newestControl = control }
        }
        guard isNewer, address != self.address else { return false }
        self.address = address
        return true
    }
}
