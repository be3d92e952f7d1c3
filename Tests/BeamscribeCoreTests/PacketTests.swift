import Foundation
import Testing

@testable import BeamscribeCore

@Suite struct PacketTests {
    @Test(arguments: samples)
    func packet_isTheSame_afterTheWire(packet: Packet) throws {
        let frame = try FrameEncoder().frame(packet)
        #expect(Array(frame.prefix(4)) == lengthField(frame.count - 4))
        #expect(try decode(Array(frame.dropFirst(4))) == packet)
    }

    @Test func caption_isTheSame_afterTheWire_whateverItsText() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2_000 {
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars + ["\"", "\\", "\u{0}", "\u{1F}"])
            var chunk = LiveChunk(
                final: 1, line: text, text: text,
                sentTimestamp: Double.random(in: 0...4e9, using: &generator))
            chunk.speaker = text
            chunk.original = text
            chunk.start = Double.random(in: 0...1e-9, using: &generator)
            chunk.end = Double.random(in: 0...Limits.seconds, using: &generator)
            let frame = try FrameEncoder().frame(.liveChunk(chunk))
            #expect(try decode(Array(frame.dropFirst(4))) == .liveChunk(chunk))
        }
    }

    @Test func packet_isUnknown_whenItsTypeIs() throws {
        let packet = try decode(Array(#"{"type":"applause","volume":11}"#.utf8))
        #expect(packet == .unknown("applause"))
    }

    @Test func packet_ignoresKeys_thatItDoesNotKnow() throws {
        let json = #"{"type":"fullHistory","session":"s","from":1,"through":2,"count":2,"mood":1}"#
        let packet = try decode(Array(json.utf8))
        #expect(packet == .fullHistory(FullHistory(session: "s", from: 1, through: 2)))
    }

    @Test(arguments: [
        "", "x", "[]", "7", "null", #""text""#, "{", #"{"type":1}"#, "{}",
        #"{"type":"liveChunk"}"#, #"{"type":"handshake","protocol":"1"}"#,
        #"{"type":"liveChunk","isFinal":true,"line":"l","text":7,"sentTimestamp":1}"#,
        #"{"type":"handshake_response","status":"maybe"}"#, "\u{FF}\u{FE}",
    ])
    func packet_isRefused_whenItIsNone(json: String) {
        #expect(throws: PacketError.self) { try decode(Array(json.utf8)) }
    }

    /// Values that nobody here asks for are sent on, to readers that do.
    @Test(arguments: [
        "\u{1}", "\u{1F}", "\n", #"\q"#, #"\u12G4"#, #"\"#, "\u{85}",
    ])
    func packet_isRefused_whenAValueThatIsNotReadIsNoJSON(text: String) {
        for byte in text == "\u{85}" ? [[0x85], [0xFF], [0xC3]] : [Array(text.utf8)] {
            for key in [#""sig":""#, #""x":{"y":[1,""#, #""x\u0079":""#] {
                let begin = #"{"type":"fullHistory","session":"s","from":1,"through":2,"count":2,"#
                let end = key.contains("[") ? #""]}}"# : #""}"#
                let payload = Array((begin + key).utf8) + byte + Array(end.utf8)
                #expect(throws: PacketError.self, "\(payload)") { try decode(payload) }
            }
        }
    }

    @Test(arguments: [
        #"{"x":01}"#, #"{"x":1.}"#, #"{"x":-}"#, #"{"x":.5}"#, #"{"x":1e}"#, #"{"x":+1}"#,
        #"{"x":NaN}"#, #"{"x":tru}"#, #"{"x":[1,]}"#, #"{"x":{}"#, #"{"x" 1}"#, #"{x:1}"#,
        #"{"x":1}}"#, #"{"x":'1'}"#, "\u{FEFF}{}", "{\"x\u{1}\":1}", #"{"x":1}//"#, "",
        String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
    ])
    func grammar_refuses_whatIsNoJSON(text: String) {
        #expect(!accepts(Array(text.utf8)))
    }

    @Test(arguments: [
        "{}", " [ ] ", "\t{\r\n}", "0", "-0", "-1.5e+10", "1E-2", "null", "true", "false", #""""#,
        #"{"a":[1,{"b":"\"\\\/\b\f\n\r\t\u00e4 é 字"}],"c":{"d":[[]]}}"#,
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    ])
    func grammar_accepts_allJSON(text: String) {
        #expect(accepts(Array(text.utf8)))
    }

    @Test func grammar_acceptsNothing_thatAnotherParserRefuses() {
        var generator = SeededGenerator(seed: 12)
        let sample = Array(
            #"{"type":"x","a":[1.5,-2e9,true,null],"b":{"é":"\u00e4\n"},"sig":"abc"} "#.utf8)
        let pool = Array(#""\{}[]:,0-9.eE+ tfn"#.utf8) + [1, 9, 10, 0x7F, 0x80, 0xC3, 0xFF]
        for _ in 0..<4_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[index] = pool.randomElement(using: &generator) ?? 0
            }
            guard accepts(bytes) else { continue }
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]))
                    != nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private func accepts(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { JSONGrammar.accepts($0) }
    }

    /// A known type's packet over the limit is refused unread, another's is passed over.
    @Test(arguments: [
        (#"{"type":"handshake_response","status":"accepted","runs":["#, "0,", "0]}", false),
        (#"{"runs":["#, "0,", #"0],"type":"handshake_response"}"#, false),
        (#"{"a":{"type":"x"},"b":["#, #"{"type":"y"},"#, #"0],"type" : "alert"}"#, false),
        (#"{"type":"later","x":["#, "[],", "0]}", true),
        (#"{"x":["#, #""}\"]",{"type":"alert"},"#, #"0],"type":"later"}"#, true),
        (#"{"a":"#, #"{"a":"#, "", false), ("", "[", "", false),
        (#"{"type":7,"x":["#, "0,", "0]}", false),
        (#"{"t\u0079pe":"later","x":["#, "0,", "0]}", false),
    ])
    func largePacket_isNotDecoded(
        _ begin: String, _ piece: String, _ end: String, _ isPassedOver: Bool
    ) throws {
        let count = Limits.packetPayload / piece.utf8.count + 1
        let payload = Array((begin + String(repeating: piece, count: count) + end).utf8)
        if isPassedOver {
            #expect(try decode(payload) == .unknown("later"))
        } else {
            #expect(throws: PacketError.self) { try decode(payload) }
        }
    }

    /// A host that was started anew every five seconds for most of a day.
    @Test func handshake_fits_afterManyRuns() throws {
        var response = HandshakeResponse(status: .accepted)
        response.runs = [0] + (1...15_000).map { 1_000_000 + $0 * 100 }
        let frame = try FrameEncoder().frame(.handshakeResponse(response))
        #expect(try decode(Array(frame.dropFirst(4))) == .handshakeResponse(response))
    }

    @Test func frame_throws_forNumbersThatAreNotFinite() {
        #expect(throws: (any Error).self) {
            try FrameEncoder().frame(
                .liveChunk(LiveChunk(final: 1, line: "l", text: "", sentTimestamp: .nan)))
        }
    }

    /// The quick reader may pass a payload on, but never read it differently.
    @Test func quickReader_agreesWithTheGeneralOne_aboutAnything() throws {
        var generator = SeededGenerator(seed: 8)
        let general = OutsideJSON()
        var quick = 0
        for round in 0..<4_000 {
            let packet =
                switch round % 5 {
                case 0, 1: keepAlive(round)
                case 2: Packet.fullHistory(FullHistory(session: "s", from: 7, through: round))
                default: caption(round)
                }
            var payload = Array(try FrameEncoder().frame(packet).dropFirst(4))
            if let later = Self.laterKeys.randomElement(using: &generator) {
                payload.replaceSubrange((payload.count - 1)..., with: ",\(later)}".utf8)
            }
            #expect(try general.decode(Packet.self, from: Data(payload)) == packet)
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = payload.indices.randomElement(using: &generator) ?? 0
                let pool = Array("\"\\{}:,0-9.eE+ \u{1}".utf8) + [0xFF, 0x80]
                payload[index] = pool.randomElement(using: &generator) ?? 0
            }
            let read = payload.withUnsafeBytes { QuickPacketReader.packet(in: $0) }
            guard let read else { continue }
            quick += 1
            #expect(try general.decode(Packet.self, from: Data(payload)) == read)
        }
        #expect(quick > 1_000)
    }

    /// What a packet of a later version may have besides.
    private static let laterKeys = [
        #""until":912"#, #""share":0.75"#, #""late":true"#, #""sig":"czYlVM-kNvVV""#,
        #""näh":"総会","rank":7"#, #""proof":"00","sig":"""#,
    ]

    /// Else a guest would be three times slower with a host of the next version.
    @Test(arguments: laterKeys)
    func laterKey_leavesAPacketToTheQuickReader(_ later: String) throws {
        let chunk = LiveChunk(final: 1, line: "1", text: "Good evening.", sentTimestamp: 1)
        var payload = Array(try FrameEncoder().frame(.liveChunk(chunk)).dropFirst(4))
        for place in [1, payload.count - 1] {
            let isFirst = place == 1
            let keys = Array((isFirst ? "\(later)," : ",\(later)").utf8)
            payload.insert(contentsOf: keys, at: place)
            let read = payload.withUnsafeBytes { QuickPacketReader.packet(in: $0) }
            #expect(try read == OutsideJSON().decode(Packet.self, from: Data(payload)))
            guard case .liveChunk(let found) = read else {
                Issue.record("\(later) is left to the general reader")
                return
            }
            #expect(found.text == chunk.text && found.seq == 1)
            payload.removeSubrange(place..<(place + keys.count))
        }
    }

    private func caption(_ round: Int) -> Packet {
        var chunk = LiveChunk(
            final: round, line: "l-\(round)", text: "Grüße, 字幕", sentTimestamp: 1.5)
        chunk.speaker = round % 3 == 1 ? "Ann" : nil
        chunk.start = round % 4 == 0 ? Double(round) / 7 : nil
        chunk.original = round % 7 == 0 ? "Grüße, Mist" : nil
        chunk.isFinal = round % 5 != 0
        return .liveChunk(chunk)
    }

    private func keepAlive(_ round: Int) -> Packet {
        var packet = KeepAlive(timestamp: 1_795_218_031.25 + Double(round))
        packet.deviceId = round % 2 == 0 ? UUID().wireName : nil
        packet.echo = round % 4 == 0 ? 1.5 : nil
        packet.applied = round % 5 == 0 ? round : nil
        return .keepAlive(packet)
    }

    /// The wire's own order, which tables of keys must not change.
    @Test func keys_areInTheOrderOfTheTable() throws {
        var chunk = LiveChunk(final: 7, line: "l-7", text: "Hi", sentTimestamp: 1.5)
        chunk.details = CaptionDetails(speaker: "Ann", lang: "en", start: 1.25, end: 2.5)
        (chunk.revision, chunk.replaces, chunk.original) = (3, 6, "H-")
        (chunk.of, chunk.heard) = (5, "High")
        let payload = try FrameEncoder().frame(.liveChunk(chunk)).dropFirst(4)
        #expect(
            String(decoding: payload, as: UTF8.self) == #"{"type":"liveChunk","isFinal":true,"#
                + #""seq":7,"line":"l-7","revision":3,"text":"Hi","sentTimestamp":1.5,"#
                + #""speaker":"Ann","lang":"en","start":1.25,"end":2.5,"replaces":6,"of":5,"#
                + #""original":"H-","heard":"High"}"#)
        #expect(try decode(Array(payload)) == .liveChunk(chunk))
    }

    /// Text is looked through eight bytes at once.
    @Test func everyByte_comesThrough_whereverItStands() throws {
        for place in 0...17 {
            for byte in UInt8.min...127 {
                let text =
                    String(repeating: "ä", count: place / 2)
                    + String(repeating: "x", count: place % 2)
                    + String(UnicodeScalar(byte)) + "yz\u{1F389}yz"
                let chunk = LiveChunk(final: 1, line: "l", text: text, sentTimestamp: 1)
                let payload = Array(try FrameEncoder().frame(.liveChunk(chunk)).dropFirst(4))
                #expect(payload.allSatisfy { $0 >= 0x20 })
                #expect(try decode(payload) == .liveChunk(chunk), "\(byte) at \(place)")
                let general = try OutsideJSON().decode(Packet.self, from: Data(payload))
                #expect(general == .liveChunk(chunk), "\(byte) at \(place)")
            }
        }
    }

    static let samples: [Packet] = [
        .handshake(Handshake(deviceId: "d", displayName: "Ann's \"laptop\"")),
        .handshake(
            Handshake(
                deviceId: "d", displayName: "", resume: .init(session: "s", after: 9), from: 3,
                history: "none", timestamp: 1.5)),
        .handshakeResponse(HandshakeResponse(status: .accepted)),
        .handshakeResponse(HandshakeResponse(rejecting: .full, "no room")),
        .fullHistory(FullHistory(session: "s", from: 1, through: 0)),
        .liveChunk(LiveChunk(final: 1, line: "l-1", text: "a/b", sentTimestamp: 1.25)),
        .liveChunk(LiveChunk(partialOf: "l-1", revision: 2, text: "字", sentTimestamp: 1)),
        .alert(Alert(.ended, "over", sentTimestamp: 2)),
        .keepAlive(KeepAlive(timestamp: 3)),
    ]

    private func decode(_ payload: [UInt8]) throws -> Packet {
        try payload.withUnsafeBytes { try PacketDecoder().packet($0) }
    }
}
