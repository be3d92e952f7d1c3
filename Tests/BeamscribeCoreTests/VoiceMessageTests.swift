import Foundation
import Testing

@testable import BeamscribeCore

/// What host and guests say of voices beside the captions.
@Suite struct VoiceMessageTests {
    private static let offer = VoiceOffer(
        port: 23_267,
        channels: [
            .init(name: "crew", talk: false, hear: false, code: true),
            .init(name: "es", talk: false, hear: true),
        ], ptime: [5, 10, 20], salt: [UInt8](repeating: 7, count: 16))
    private static let packet = VoiceMessage.packet(VoicePacket(data: Data([1, 2, 3, 255])))
    private static let messages: [VoiceMessage] = [
        .join(VoiceJoin(channels: ["crew", "es"], talk: "crew")), .join(VoiceJoin(channels: [])),
        .joined(VoiceJoined(ssrc: .max, key: 3, maxTalkers: 8)), .refused(VoiceRefused(.full)),
        .peer(VoicePeer(ssrc: 1, name: "Ann", channel: "crew", state: .talking)),
        .talk(VoiceTalk(on: true, ts: 0)), .talk(VoiceTalk(ssrc: 9, on: false, ts: .max)),
        .wish(VoiceWish(ssrc: 1, redundancy: 2, ptime: 10, bitrate: 40_000)), packet,
        .code(VoiceCode(share: [4, 5], confirm: [6])), .code(VoiceCode()),
    ]

    @Test(arguments: messages)
    func message_isTheSame_afterTheWire(message: VoiceMessage) throws {
        let frame = try FrameEncoder().frame(.voice(message))
        let read = try frame.dropFirst(4).withUnsafeBytes { try PacketDecoder().packet($0) }
        #expect(read == .voice(message))
    }

    @Test func messages_areWrittenAsTheProtocolSays() throws {
        let json = try VoiceMessageTests.messages.map {
            String(decoding: try FrameEncoder().frame(.voice($0)).dropFirst(4), as: UTF8.self)
        }
        #expect(
            json[2].contains(#""type":"voice_joined""#) && json[2].contains(#""ssrc":4294967295"#))
        #expect(
            json[8].contains(#""type":"voice_packet""#) && json[8].contains(#""data":"AQID/w==""#))
        #expect(json[10] == #"{"type":"voice_code"}"#)
    }

    @Test(arguments: [
        #"{"type":"voice_join"}"#, #"{"type":"voice_join","channels":"crew"}"#,
        #"{"type":"voice_joined","ssrc":-1,"key":0,"maxTalkers":8}"#,
        #"{"type":"voice_joined","ssrc":4294967296,"key":0,"maxTalkers":8}"#,
        #"{"type":"voice_talk","on":1,"ts":0}"#, #"{"type":"voice_packet","data":"%%"}"#,
    ])
    func message_isRefused_whenItIsNone(json: String) {
        #expect(throws: PacketError.self) {
            try Array(json.utf8).withUnsafeBytes { try PacketDecoder().packet($0) }
        }
    }

    @Test func salt_isRead_whereItIsOne() {
        var offer = Self.offer
        #expect(offer.saltBytes == [UInt8](repeating: 7, count: 16))
        for salt in [nil, "", "zz", "0707", String(repeating: "0", count: 200)] {
            offer.salt = salt
            #expect(offer.saltBytes == nil)
        }
    }

    // MARK: In a room

    private func roomWithVoices() -> VirtualRoom {
        let room = VirtualRoom()
        room.host.room.voices = Self.offer
        return room
    }

    @Test func guest_isOfferedVoices_andBothAreHeard() {
        let room = roomWithVoices()
        let (ann, bob) = (room.guest("Ann", usesVoices: true), room.guest("Bob"))
        room.connect(ann)
        room.connect(bob)
        #expect(ann.offer == Self.offer && bob.offer == nil)
        for message in Self.messages { room.say(message, by: ann) }
        room.deliver()
        #expect(room.voices.map(\.message) == Self.messages)
        #expect(room.voices.allSatisfy { $0.from == ann.wire })
        for message in Self.messages {
            room.say(message, to: ann)
            room.say(message, to: bob)
        }
        room.say("a line")
        room.deliver()
        // Words go before packets, and what matters is that all come.
        #expect(ann.voices.count == Self.messages.count && ann.voices.contains(Self.packet))
        #expect(bob.voices == [], "Who wants no voices passes over what is said of them.")
        #expect(ann.texts == ["a line"] && bob.texts == ["a line"])
        #expect(room.host.room.brokenInvariant == nil)
    }

    @Test func guest_isNotHeard_whereNoVoicesAreOffered() {
        let room = VirtualRoom()
        let ann = room.guest(usesVoices: true)
        room.connect(ann)
        room.say(Self.packet, by: ann)
        room.say(Self.packet, to: ann)
        room.deliver()
        #expect(room.voices.isEmpty && ann.voices == [] && ann.offer == nil)
        #expect(ann.session.isConnected)
    }

    /// What a guest has not taken for long it does not want to hear any more, and captions do not wait for it.
    @Test func voices_areDropped_whereTheyWouldComeTooLate() {
        let room = roomWithVoices()
        let ann = room.guest(usesVoices: true)
        room.connect(ann)
        for number in 0..<100 {
            room.say(.packet(VoicePacket(data: Data([UInt8(number)]))), to: ann)
            room.advance(by: .milliseconds(20))
        }
        room.say("a line")
        room.deliver()
        let heard = ann.voices.compactMap {
            if case .packet(let packet) = $0 { packet.data.first } else { nil }
        }
        #expect(heard == (89...99).map { UInt8($0) })
        #expect(ann.texts == ["a line"])
    }

    @Test func guestOfVoices_maySayMore_andNotEverything() {
        let room = roomWithVoices()
        let ann = room.guest(usesVoices: true)
        room.connect(ann)
        let packet = VoiceMessage.packet(VoicePacket(data: Data(count: 1_200)))
        for _ in 0..<500 { room.say(packet, by: ann) }
        room.deliver()
        #expect(room.voices.count == 500 && ann.session.isConnected)
        for _ in 0..<1_500 { room.say(packet, by: ann) }
        room.deliver()
        #expect(!ann.session.isConnected)
    }
}
