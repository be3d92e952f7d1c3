import BeamscribeCore
import BeamscribeVoice

/// A guest of a room that says and sends what a test wants, rather than what a session would.
final class OutspokenGuest {
    typealias Room = VoiceRoom<Int, Int>

    let number: Int
    let isCrew: Bool
    /// Its source, as it was told last; 0 before.
    private(set) var source: UInt32 = 0
    /// Which of its keys count.
    private(set) var key: UInt32 = 0
    private let room: Room
    private var joins: UInt32 = 0
    private var protection = ToyProtection(secret: 0, side: .guest)
    private var sequence: UInt16 = 0
    private var outbox = VoiceOutbox<Int>()
    /// Where the host has sent datagrams for what this guest did.
    private(set) var destinations: [Int] = []

    init(_ number: Int, in room: Room, isCrew: Bool = true) {
        (self.number, self.room, self.isCrew) = (number, room, isCrew)
    }

    private func secret(_ key: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: number * 31 + Int(key))
    }

    @discardableResult
    func join(
        _ channels: String..., talk: String? = nil, now: Duration = .zero,
        _ change: (inout Room.Applicant) -> Void = { _ in }
    ) -> [Room.Action] {
        let secret = secret(joins)
        var applicant = Room.Applicant(
            id: number, name: "person \(number)", isCrew: isCrew, key: joins
        ) { ToyProtection(secret: secret, side: .host) }
        change(&applicant)
        joins &+= 1
        let actions = room.join(applicant, VoiceJoin(channels: channels, talk: talk), now: now)
        for case .say(.joined(let joined), to: number) in actions where joined.ssrc != source {
            (source, key) = (joined.ssrc, joined.key)
            protection = ToyProtection(secret: self.secret(joined.key), side: .guest)
        }
        return actions
    }

    @discardableResult
    func talk(_ isOn: Bool, ts: UInt32 = 0, now: Duration) -> [Room.Action] {
        room.talk(VoiceTalk(on: isOn, ts: ts), by: number, now: now)
    }

    /// Sends a packet of RTP by UDP.
    ///
    /// - Returns: what is said to others.
    @discardableResult
    func send(
        payloadType: UInt8 = VoicePayload.opus.rawValue, ts: UInt32 = 0, from address: Int? = nil,
        now: Duration
    ) -> [Room.Action] {
        sequence &+= 1
        let header = RTPHeader(
            payloadType: payloadType, isMarked: false, sequence: sequence, timestamp: ts,
            source: source)
        return send(
            RTPPacket(header, payload: [16 << 3, 1, 2, 3]).bytes, from: address, now: now)
    }

    /// Sends a packet of RTCP by UDP.
    @discardableResult
    func report(
        _ reports: [RTCPPacket.Report] = [], losses: [LossMap] = [], from address: Int? = nil,
        now: Duration
    ) -> [Room.Action] {
        let packet = RTCPPacket(source: source, reports: reports, losses: losses, name: "x")
        return send(packet.bytes, from: address, now: now)
    }

    private func send(_ packet: [UInt8], from address: Int?, now: Duration) -> [Room.Action] {
        var bytes = packet + [UInt8](repeating: 0, count: VoiceProtectionRoom.bytes)
        return bytes.withUnsafeMutableBytes { bytes in
            guard let count = protection.protect(bytes, count: packet.count) else { return [] }
            let actions = room.receive(
                UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]),
                from: address ?? number, now: now, &outbox)
            takeDestinations()
            return actions
        }
    }

    private func takeDestinations() {
        destinations = outbox.datagrams.map(\.address)
        outbox.clear()
    }
}

extension VoiceRoom<Int, Int> {
    /// Time has passed, a tenth of a second at a time.
    @discardableResult
    func pass(from start: Duration, seconds: Int) -> [Action] {
        var outbox = VoiceOutbox<Int>()
        return (1...seconds * 10).flatMap { step in
            defer { outbox.clear() }
            return tick(now: start + .milliseconds(100 * step), &outbox)
        }
    }
}
