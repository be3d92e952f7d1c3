import BeamscribeCore
import BeamscribeVoice
import FoundationEssentials

/// What guests and hosts send of voices, behind an encryption that everything passes: whoever means harm is a guest.
enum VoiceProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        try checkPackets(Array(bytes))
        var choices = Choices(bytes)
        var run = Run()
        while !choices.isEmpty { try run.step(&choices) }
        try run.end()
    }

    /// What is read is written the same.
    private static func checkPackets(_ bytes: [UInt8]) throws(BrokenProperty) {
        let packet = bytes.withUnsafeBytes { try? RTPPacket(parsing: $0) }
        if let packet {
            let again = packet.bytes.withUnsafeBytes { try? RTPPacket(parsing: $0) }
            try expect(again == packet, "another packet: \(packet)")
        }
        let audio = try? RedundantAudio(parsing: bytes)
        if let audio {
            try expect(
                audio.blocks.count <= Limits.redundancy + 1 && audio.blocks.last?.age == 0,
                "\(audio.blocks.count) blocks")
        }
        let control = bytes.withUnsafeBytes { try? RTCPPacket(parsing: $0) }
        if let control {
            let again = control.bytes.withUnsafeBytes { try? RTCPPacket(parsing: $0) }
            try expect(again?.reports == control.reports, "other reports")
        }
    }

    /// Lets everything pass, and takes nothing for what came before.
    private final class NoProtection: VoiceProtection {
        func protect(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? { count }
        func open(_ packet: UnsafeMutableRawBufferPointer) -> Int? { packet.count }
        func forget(_ source: UInt32) {}
    }

    /// Makes of a packet as much sound as it says.
    private final class Decoder: AudioDecoder {
        func decode(_ packet: [UInt8], appendingTo samples: inout [Float]) -> Bool {
            guard let duration = OpusPacket.duration(of: packet) else { return false }
            let loudness = Float(packet.count % 3)
            samples.append(contentsOf: repeatElement(loudness, count: duration))
            return true
        }

        func conceal(_ count: Int, appendingTo samples: inout [Float]) {
            samples.append(contentsOf: repeatElement(0, count: count))
        }

        func reset() {}
    }

    private final class Encoder: AudioEncoder {
        func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]? {
            [16 << 3, 0]
        }
        func reset() {}
    }

    private struct Run {
        private static let guests = 3
        private let room = VoiceRoom<Int, Int>(
            .init(
                channels: [.crew, .floor, VoiceChannel("es", talk: .event, hear: .event)],
                maximumTalkers: 1, maximumListeners: guests - 1), seed: 1)
        private let session = VoiceSession(
            .init(mode: .open), encoder: Encoder(), decoder: { Decoder() }, seed: 1)
        private var now = Duration.seconds(100)
        private var outbox = VoiceOutbox<Int>()
        private var sent = VoiceOutbox<VoiceHost>()
        private var sources: [Int: UInt32] = [:]
        /// Where somebody has sent something from.
        private var heardFrom: Set<Int> = []

        mutating func step(_ choices: inout Choices) throws(BrokenProperty) {
            let id = choices.below(Self.guests)
            switch choices.below(10) {
            case 0: try join(id, &choices)
            case 1: perform(room.leave(id, now: now))
            case 2:
                let talk = VoiceTalk(on: choices.byte() % 2 == 1, ts: UInt32(choices.short()))
                perform(room.talk(talk, by: id, now: now))
            case 3, 4, 5: receive(packet(&choices, from: sources[id]), from: 100 + id)
            case 6:
                let packet = VoicePacket(data: Data(packet(&choices, from: sources[id])))
                perform(room.receive(packet, from: id, now: now, &outbox))
            case 7: hear(&choices)
            default: pass(.milliseconds(Int(choices.short()) % 3_000))
            }
            try checkOutbox()
        }

        private mutating func join(_ id: Int, _ choices: inout Choices) throws(BrokenProperty) {
            let names = ["crew", "floor", "es", choices.text()]
            let (mask, talk) = (choices.byte(), choices.byte())
            let join = VoiceJoin(
                channels: names.indices.filter { mask >> $0 & 1 == 1 }.map { names[$0] },
                talk: talk % 5 == 4 ? nil : names[Int(talk) % 5])
            let actions = room.join(
                .init(id: id, name: "guest", isCrew: id == 0, key: 0) { NoProtection() }, join,
                now: now)
            let isIn = actions.contains {
                if case .say(.joined, to: id) = $0 { true } else { false }
            }
            if isIn, id != 0 {
                try expect(!join.channels.contains("crew"), "a stranger hears the crew")
                try expect(join.talk != "crew" && join.talk != "floor", "a stranger talks")
            }
            try expect(room.count < Self.guests, "too many")
            perform(actions)
        }

        private mutating func perform(_ actions: [VoiceRoom<Int, Int>.Action]) {
            for case .say(.joined(let joined), let id) in actions { sources[id] = joined.ssrc }
        }

        /// Bytes as they are, or behind a header that fits.
        private func packet(_ choices: inout Choices, from source: UInt32?) -> [UInt8] {
            let kind = choices.byte()
            guard kind % 4 != 0, let source else { return choices.stretch() }
            let header = RTPHeader(
                payloadType: kind % 2 == 0 ? 96 : 97, isMarked: kind & 16 != 0,
                sequence: choices.short(), timestamp: UInt32(choices.short()) << (kind >> 6),
                source: source)
            return RTPPacket(header, payload: choices.stretch()).bytes
        }

        private mutating func receive(_ packet: [UInt8], from address: Int) {
            var packet = packet
            heardFrom.insert(address)
            let (room, now) = (room, now)
            var outbox = outbox
            let actions = packet.withUnsafeMutableBytes {
                room.receive($0, from: address, now: now, &outbox)
            }
            self.outbox = outbox
            perform(actions)
        }

        /// Nobody is sent anything who has sent nothing.
        private mutating func checkOutbox() throws(BrokenProperty) {
            for datagram in outbox.datagrams {
                try expect(heardFrom.contains(datagram.address), "a packet to a stranger")
                try expect(datagram.range.count <= Limits.datagram + 20, "a long packet")
            }
            outbox.clear()
        }

        private mutating func pass(_ time: Duration) {
            now += time
            perform(room.tick(now: now, &outbox))
            _ = session.tick(now: now, &sent)
            sent.clear()
        }

        // MARK: A guest

        /// A guest's host says something, or sends it.
        private mutating func hear(_ choices: inout Choices) {
            switch choices.below(6) {
            case 0:
                let offer = VoiceOffer(port: 1, channels: [], ptime: [])
                _ = session.connected(to: offer) { _ in NoProtection() }
            case 1: _ = session.take(.joined(.init(ssrc: 1, key: 0, maxTalkers: 1)), now: now)
            case 2:
                let state = choices.pick([VoicePeer.State.here, .talking, .gone])
                let peer = VoicePeer(
                    ssrc: UInt32(clamping: choices.below(3)), name: choices.text(), channel: "crew",
                    state: state)
                _ = session.take(.peer(peer), now: now)
            case 3:
                let wish = VoiceWish(
                    ssrc: 1, redundancy: Int(choices.byte()) - 99, ptime: Int(choices.byte()),
                    bitrate: Int(choices.short()) << 16)
                _ = session.take(.wish(wish), now: now)
            case 4:
                let talk = VoiceTalk(
                    ssrc: UInt32(clamping: choices.below(3)), on: choices.byte() % 2 == 1,
                    ts: UInt32(choices.short()))
                _ = session.take(.talk(talk), now: now)
            default:
                let packet = packet(&choices, from: UInt32(clamping: choices.below(3)))
                _ = session.take(.packet(VoicePacket(data: Data(packet))), now: now)
            }
            var heard = [Float](repeating: 0.5, count: 240)
            _ = heard.withUnsafeBufferPointer { session.hear($0, now: now, &sent) }
            heard.withUnsafeMutableBufferPointer { session.give($0, now: now) }
            sent.clear()
        }

        mutating func end() throws(BrokenProperty) {
            for _ in 0..<50 {
                now += .milliseconds(5)
                var sound = [Float](repeating: 9, count: 240)
                sound.withUnsafeMutableBufferPointer { session.give($0, now: now) }
                try expect(sound.allSatisfy { abs($0) <= 1 }, "sound beyond full scale")
            }
        }
    }
}
