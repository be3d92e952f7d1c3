import BeamscribeCore
import BeamscribeVoice
import Testing

/// What a host hears itself of a channel that is captioned.
@Suite struct HeardVoiceTests {
    private func packets(of number: Int, in world: VoiceWorld) -> Int {
        world.heard.count {
            if case .packet(_, of: number, _, _, _) = $0 { true } else { false }
        }
    }

    @Test func host_hearsCaptionedChannels_andNoOthers() throws {
        let world = VoiceWorld(captioned: ["crew"])
        let ann = world.add()
        _ = world.add()
        let floor = world.add(
            isCrew: false, isHost: true, .init(talksOn: "floor", hears: [:], mode: .open))
        floor.isSpeaking = true
        world.run(seconds: 1)
        #expect(world.heard.isEmpty)
        floor.isSpeaking = false
        ann.isSpeaking = true
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        #expect((90...101).contains(packets(of: 1, in: world)))
        guard case .packet(let bytes, 1, "person 1", "crew", _) = world.heard[0] else {
            return #expect(Bool(false), "\(world.heard[0])")
        }
        let packet = try bytes.withUnsafeBytes { try RTPPacket(parsing: $0) }
        #expect(packet.header.payloadType == VoicePayload.opus.rawValue)
        world.setKey(ann, down: false)
        world.run(seconds: 0.2)
        let ends = world.heard.count {
            if case .talkEnded(of: 1, at: _) = $0 { true } else { false }
        }
        #expect(ends == 1)
        world.disconnect(ann)
        #expect(world.heard.last == .gone(1) && packets(of: 3, in: world) == 0)
    }

    @Test func host_isHeardItself_whereNobodyListens() {
        let world = VoiceWorld(captioned: ["floor"])
        let floor = world.add(
            isCrew: false, isHost: true,
            .init(
                talksOn: "floor", hears: [:], mode: .open,
                coding: .room))
        floor.isSpeaking = true
        world.run(seconds: 2)
        #expect((80...101).contains(packets(of: 1, in: world)))
    }
}
