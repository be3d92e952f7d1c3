import Beamscribe
import BeamscribeCore
import Testing

/// The bytes of the event stream, as docs/WEB.md has them.
@Suite struct EventStreamEncoderTests {
    private func text(_ make: (UnsafeRawBufferPointer) -> Reader.Item, _ payload: String) -> String
    {
        var bytes = Array("before\n\n".utf8)
        var payload = payload
        payload.withUTF8 {
            EventStreamEncoder().append(make(UnsafeRawBufferPointer($0)), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What a packet is on a reader's stream.
    private func text(
        _ make: (UnsafeRawBufferPointer) -> Reader.Item, _ packet: Packet
    ) throws -> String {
        try FrameEncoder().frame(packet).withUnsafeBytes {
            let payload = $0[FrameDecoder.prefixLength...]
            return text(make, String(decoding: payload, as: UTF8.self))
        }
    }

    @Test func final_isAPlainMessage_withItsNumber_andWithoutWhatThatSays() throws {
        let chunk = LiveChunk(final: 842, line: "17", text: "Grüße, 総会: data", sentTimestamp: 1.5)
        let json = #"{"seq":842,"line":"17","text":"Grüße, 総会: data","sentTimestamp":1.5}"#
        #expect(
            try text({ .final(seq: 842, $0) }, .liveChunk(chunk))
                == "before\n\nid: 842\ndata: \(json)\n\n")
    }

    @Test func partialAndAlert_haveTheirNames_andNoNumber() throws {
        let chunk = LiveChunk(partialOf: "18", revision: 1, text: "We are", sentTimestamp: 1.5)
        let json = #"{"line":"18","revision":1,"text":"We are","sentTimestamp":1.5}"#
        #expect(
            try text({ .partial($0) }, .liveChunk(chunk))
                == "before\n\nevent: partial\ndata: \(json)\n\n")
        #expect(text({ .alert($0) }, "{}") == "before\n\nevent: alert\ndata: {}\n\n")
    }

    /// A browser can judge no signature, and a crowd's network need not carry it.
    @Test func caption_comesWithoutItsSignature() {
        let sig = #","sig":"\#(String(repeating: "A", count: 86))"}"#
        let words = #""line":"l-1","text":"a,\"sig\":\"b"#
        let final = #"{"type":"liveChunk","isFinal":true,"seq":1,\#(words)""#
        #expect(
            text({ .final(seq: 1, $0) }, final + sig)
                == "before\n\nid: 1\ndata: {\"seq\":1,\(words)\"}\n\n")
        let partial = #"{"type":"liveChunk","isFinal":false,\#(words)""#
        #expect(
            text({ .partial($0) }, partial + sig)
                == "before\n\nevent: partial\ndata: {\(words)\"}\n\n")
    }

    /// Others sign their captions as bytes; a browser reads these otherwise than programs do.
    @Test(
        arguments: [
            (#""text":"one","text":"two""#, "one"),
            (#""text":"a\u202Eb""#, "a<U+202E>b"),
            ("\"text\":\"a\u{202E}b\"", "a<U+202E>b"),
            (#""text":"a\u001Bb""#, "a␛b"),
            ("\"text\":\"a\u{7F}b\"", "a␡b"),
            ("\n\"text\":\"a\"", "a"),
            (#""text":"quoted \" and \\""#, #"quoted \" and \\"#),
            (#""speaker":"A","speaker":"Host","text":"a""#, "a"),
        ])
    func caption_saysTheSameToBrowsersAndPrograms(_ keys: String, text due: String) {
        let json =
            #"{"type":"liveChunk","isFinal":true,"seq":1,"line":"1",\#(keys),"sentTimestamp":1}"#
        let event = text({ .final(seq: 1, $0) }, json)
        #expect(event.contains(#""text":"\#(due)""#), "\(event)")
        #expect(event.ranges(of: #""text""#).count == 1 && !event.contains("Host"))
        #expect(event.hasPrefix("before\n\nid: 1\ndata: {"))
        #expect(event.dropFirst("before\n\nid: 1\n".count).filter { $0 == "\n" }.count == 2)
    }

    /// Another program's packet, whose keys stand in another order, in a session that it kept.
    @Test func packet_thatBeginsOtherwise_isGivenWhole() {
        for json in ["{}", #"{"seq":1,"type":"liveChunk","isFinal":true,"text":"a"}"#] {
            #expect(text({ .final(seq: 1, $0) }, json) == "before\n\nid: 1\ndata: \(json)\n\n")
            #expect(text({ .partial($0) }, json).hasSuffix("\ndata: \(json)\n\n"))
            #expect(text({ .alert($0) }, json).hasSuffix("\ndata: \(json)\n\n"))
        }
    }

    @Test func gap_saysWhichLines() {
        let expected = "before\n\nevent: gap\ndata: {\"from\":1,\"through\":40}\n\n"
        #expect(text({ _ in .gap(1...40) }, "") == expected)
    }

    @Test func otherEvents_haveTheirNames() {
        let bytes = EventStreamEncoder.event("hello", json: Array("{}".utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == "event: hello\ndata: {}\n\n")
    }

    /// A line break in it would end the event.
    @Test func packet_isOneLine_whateverWasSaid() throws {
        let said = "a\nb\r\nc\rd\u{85}\u{2028}e\u{0}"
        let chunk = LiveChunk(final: 1, line: "l\n1", text: said, sentTimestamp: 1)
        var bytes: [UInt8] = []
        try FrameEncoder().frame(.liveChunk(chunk)).withUnsafeBytes {
            let payload = UnsafeRawBufferPointer(rebasing: $0[FrameDecoder.prefixLength...])
            EventStreamEncoder().append(.final(seq: 1, payload), to: &bytes)
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        #expect(lines.count == 4 && !bytes.contains(UInt8(ascii: "\r")))
        #expect(lines[0].elementsEqual("id: 1".utf8) && lines[1].starts(with: "data: {".utf8))
    }
}
