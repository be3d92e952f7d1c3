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
        .captioned(VoiceCaptioned()), .captioned(VoiceCaptioned(not: .full)),
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
        #expect(json[11].contains(#""on":true"#) && !json[11].contains("reason"))
        #expect(json[12].contains(#""on":false"#) && json[12].contains(#""reason":"full""#))
    }

    @Test(arguments: [
        #"{"type":"voice_join"}"#, #"{"type":"voice_join","channels":"crew"}"#,
        #"{"type":"voice_joined","ssrc":-1,"key":0,"maxTalkers":8}"#,
        #"{"type":"voice_joined","ssrc":4294967296,"key":0,"maxTalkers":8}"#,
        #"{"type":"voice_captioned"}"#, #"{"type":"voice_captioned","on":1}"#,
        #"{"type":"voice_captioned","on":false,"reason":4}"#,
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

    // MARK: With whom

    private static let writer = ToyCrypto("the host's own")

    /// What one who answers a guest of a signed event says before its writer's word.
    private func answer(_ room: VirtualRoom, _ guest: VirtualGuest) throws {
        let joined = VoiceMessage.joined(VoiceJoined(ssrc: 1, key: 0, maxTalkers: 8))
        for packet in [Packet.voice(joined), .keepAlive(KeepAlive(timestamp: 1))] {
            room.say(try FrameEncoder().frame(packet), to: guest)
        }
    }

    @Test func voicesBegin_onceItIsKnownWhoseEventItIs() throws {
        let room = VirtualRoom(signing: Self.writer)
        room.host.room.voices = Self.offer
        let ann = room.guest("Ann", usesVoices: true)
        // Whoever answers lets the guest in, and keeps back who has written the log.
        var hasAnswered = false
        room.tamper = { bytes in
            defer { hasAnswered = true }
            let first = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            return hasAnswered ? [] : Array(bytes.prefix(4 + first))
        }
        room.connect(ann)
        #expect(ann.session.isConnected && ann.joined == nil)
        try answer(room, ann)
        room.say(Self.packet, by: ann)
        room.deliver()
        #expect(ann.offer == nil && ann.voices.isEmpty && room.voices.isEmpty)
        room.cut(ann)
        room.tamper = { $0 }
        room.pass(seconds: 3)
        #expect(ann.joined != nil && ann.offer == Self.offer)
        room.say(Self.packet, by: ann)
        room.deliver()
        #expect(room.voices.count == 1)
    }

    @Test func voicesDoNotBegin_withWhomTheGuestDoesNotTrust() {
        let room = VirtualRoom(signing: Self.writer)
        room.host.room.voices = Self.offer
        let ann = room.guest("Ann", of: ToyCrypto("somebody else"), usesVoices: true)
        room.connect(ann)
        #expect(ann.outcome != nil && ann.offer == nil)
    }

    /// Somebody reached at an address that the user has given is taken for the host, until the writer's word shows that
    /// he is not.
    @Test(arguments: [Counterpart.host, .unknown, .holder])
    func voicesDoNotBegin_withWhoHoldsTheEvent(counterpart: Counterpart) throws {
        let founders = VirtualRoom(signing: Self.writer)
        founders.say("one")
        let held = HolderNode("relay", in: founders, of: Self.writer).room
        held.host.room.voices = Self.offer
        held.counterpart = counterpart
        let ann = held.guest("Ann", of: Self.writer, usesVoices: true)
        held.connect(ann)
        #expect(ann.joined?.isHeld == true && ann.offer == nil)
        try answer(held, ann)
        held.say(Self.packet, by: ann)
        held.deliver()
        #expect(ann.voices.isEmpty && held.voices.isEmpty)
    }

    /// There are voices again once the host is back.
    @Test func nothingIsSaidOfVoices_whereAnotherServesTheEventMeanwhile() throws {
        let room = VirtualRoom(signing: Self.writer)
        room.host.room.voices = Self.offer
        room.say("one")
        let held = HolderNode("relay", in: room, of: Self.writer).room
        let ann = room.guest("Ann", of: Self.writer, usesVoices: true)
        room.connect(ann)
        #expect(ann.offer == Self.offer)
        room.cut(ann)
        _ = held.add(ann)
        held.pass(seconds: 3)
        #expect(ann.joined?.isHeld == true && ann.session.isConnected)
        #expect(ann.offer == Self.offer, "it is not told that there are none")
        held.say(Self.packet, by: ann)
        held.deliver()
        #expect(held.voices.isEmpty)
    }

    /// What a guest has not taken for long it does not want to hear any more, and captions do not wait for it.
    @Test func voices_areDropped_whereTheyWouldComeTooLate() {
        let room = roomWithVoices()
        let ann = room.guest(usesVoices: true)
        room.connect(ann)
        for number in 0..<100 {
            room.say(.packet(VoicePacket(data: Data([UInt8(clamping: number)]))), to: ann)
            room.advance(by: .milliseconds(20))
        }
        room.say("a line")
        room.deliver()
        let heard = ann.voices.compactMap {
            if case .packet(let packet) = $0 { packet.data.first } else { nil }
        }
        #expect(heard == (89...99).map { UInt8(clamping: $0) })
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
