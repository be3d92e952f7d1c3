import Foundation
import Testing

@testable import BeamscribeCore

/// Numbers as only somebody writes them who wants to see what happens: at every key that has a
/// number, in every packet. Whoever reads them stays alive, and what is not finite comes to nobody.
@Suite struct ExtremeNumberTests {
    static let session = FakeHost.session

    /// What others would say where a packet has the number, each key with one that is usual.
    static let packets: [(type: String, fixed: String, numbers: [(key: String, usual: String)])] = [
        (
            "handshake_response",
            #","status":"accepted","session":"\#(session)","eventName":"E","deviceName":"D""#,
            [
                ("protocol", "1"), ("firstSeq", "1"), ("lastSeq", "1"), ("keepAliveInterval", "2"),
                ("timestamp", "1000.5"), ("echo", "1000"), ("received", "1000.25"),
            ]
        ),
        (
            "handshake_response", #","status":"accepted","session":"\#(session)","lastSeq":1"#,
            [("runs", "0")]
        ),
        (
            "fullHistory", #","session":"\#(session)""#,
            [("from", "2"), ("through", "2"), ("count", "1")]
        ),
        (
            "liveChunk", #","isFinal":true,"line":"l-2","text":"two words""#,
            [
                ("seq", "2"), ("sentTimestamp", "1000.5"), ("start", "3.5"), ("end", "4.5"),
                ("replaces", "1"), ("of", "1"), ("revision", "1"),
            ]
        ),
        (
            "liveChunk", #","isFinal":false,"line":"l-2","text":"two""#,
            [("sentTimestamp", "1000.5"), ("revision", "1"), ("start", "3.5"), ("end", "4.5")]
        ),
        ("alert", #","kind":"paused","message":"a pause""#, [("sentTimestamp", "1000.5")]),
        (
            "keep_alive", "",
            [
                ("timestamp", "1000.5"), ("inputAge", "1"), ("echo", "1000"),
                ("received", "1000.25"), ("applied", "1"), ("latencyP50", "0.1"),
                ("latencyP95", "0.2"),
            ]
        ),
        (
            "handshake", #","deviceId":"\#(session)","displayName":"G""#,
            [("protocol", "1"), ("from", "1"), ("timestamp", "1000.5"), ("port", "23267")]
        ),
    ]

    static let digits = String(repeating: "9", count: 321)
    static let infinite = ["1e400", "-1e400", digits, "-" + digits, digits + ".5", "1E+99999999"]
    static let finite = [
        "1e308", "-1e308", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "-5e-324",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-0.0", "-0", "0",
        "9007199254740991", "9007199254740992", "999999999999999999", "1e-400", "0.1e-99999",
        "18446744073709551616.5", "-1", "0.5", "1e19", "9.3e18",
    ]

    /// Every packet with one of its numbers put in the place of the usual one.
    static func payloads(_ numbers: [String], of types: Set<String>) -> [(
        name: String, json: String
    )] {
        packets.filter { types.contains($0.type) }.flatMap { packet in
            packet.numbers.flatMap { changed in
                numbers.map { number in
                    let pairs = packet.numbers.map { key, usual in
                        let value = key == changed.key ? number : usual
                        return #","\#(key)":"# + (key == "runs" ? "[0,\(value)]" : value)
                    }
                    return (
                        "\(changed.key) \(number.prefix(30))",
                        #"{"type":"\#(packet.type)""# + packet.fixed + pairs.joined() + "}"
                    )
                }
            }
        }
    }

    static let ofHosts: Set = [
        "handshake_response", "fullHistory", "liveChunk", "alert", "keep_alive",
    ]

    @Test func number_breaksThePacket_whereItIsNotFinite() {
        let types = Self.ofHosts.union(["handshake"])
        for (name, json) in Self.payloads(Self.infinite, of: types) {
            let payload = Array(json.utf8)
            #expect(payload.withUnsafeBytes { QuickPacketReader.packet(in: $0) } == nil, "\(name)")
            #expect(throws: PacketError.self, "\(name)") {
                try payload.withUnsafeBytes { bytes throws in try PacketDecoder().packet(bytes) }
            }
        }
    }

    /// What a packet with such a number does to a guest and to all that is made of its events.
    @Test func guest_livesOn_andSaysOnlyWhatIsFinite() throws {
        for (name, json) in Self.payloads(Self.finite + Self.infinite, of: Self.ofHosts) {
            let host = FakeHost()
            host.connect()
            if !json.contains("handshake_response") {
                host.send(.handshakeResponse(FakeHost.welcome(lastSeq: 1)))
            } else {
                host.send(framed(Array(json.utf8)))
            }
            host.send(.fullHistory(FullHistory(session: Self.session, from: 1, through: 1)))
            host.sendLine(1)
            // Twice: some figures are differences.
            for _ in 1...2 { host.send(framed(Array(json.utf8))) }
            host.sendLine(2)
            host.sendLine(3)
            host.pass(.seconds(4))
            let events = host.events + [.stats(host.guest.statistics(now: host.now))]
            try check(events, name)
            for frame in host.sent { try checkJSON(frame.dropFirst(4), name) }
        }
    }

    @Test func log_isExported_whateverItsNumbers() throws {
        for (name, json) in Self.payloads(Self.finite + Self.infinite, of: ["liveChunk"]) {
            let log =
                try SampleLog.frame(1, "one") + framed(Array(json.utf8)) + framed(Array(json.utf8))
                + SampleLog.frame(9, "nine", replaces: 1)
            let survey = SampleLog.survey(log)
            var lines: [TranscriptLine] = []
            for stretch in survey.stretches {
                var reader = JournalReader(after: stretch.after)
                Array(
                    log[
                        Int(
                            clamping: stretch.bytes.lowerBound)..<Int(
                                clamping: stretch.bytes.upperBound)]
                )
                .withUnsafeBytes {
                    reader.read($0) { lines.append(TranscriptLine($1, seq: $2)) }
                }
            }
            #expect(lines.first?.seq == 1)
            // A great number may be that of a line, which no smaller one follows.
            #expect(lines.last?.seq == 9 || name.hasPrefix("seq 9007"), "\(name)")
            try export(lines, name)
        }
    }

    @Test func host_livesOn_whateverNumbersItsGuestsSay() {
        let hello =
            #"{"type":"handshake","protocol":1,"deviceId":"\#(Self.session)","displayName":"G"}"#
        let types: Set = ["handshake", "keep_alive"]
        for (name, json) in Self.payloads(Self.finite + Self.infinite, of: types) {
            let room = VirtualRoom()
            let guest = room.guest()
            room.connect(guest)
            room.say("one")
            let isHello = json.contains("handshake")
            _ = room.stranger(
                framed(Array((isHello ? json : hello).utf8)) + framed(Array(json.utf8)))
            room.say("two")
            room.pass(seconds: 5)
            #expect(guest.texts == ["one", "two"], "\(name)")
        }
    }

    // MARK: What is made of events

    private func check(_ events: [GuestEvent], _ name: String) throws {
        for format in TranscriptFormat.allCases {
            var writer = EventWriter(format)
            let text = writer.text(for: events)
            if format == .jsonl { try checkLines(text, name) }
            if format == .srt || format == .vtt { _ = try SubtitleCue.cues(in: text) }
            _ = try JSONEncoder().encode(writer.progress)
        }
        try export(events.compactMap { if case .line(let line) = $0 { line } else { nil } }, name)
    }

    private func export(_ lines: [TranscriptLine], _ name: String) throws {
        for format in TranscriptFormat.allCases {
            var exporter = TranscriptExporter(format, range: 1...Int.max)
            let text =
                exporter.header + lines.map { exporter.text(for: $0) }.joined() + exporter.end()
            if format == .jsonl { try checkLines(text, name) }
            if format == .srt || format == .vtt { _ = try SubtitleCue.cues(in: text) }
        }
    }

    private func checkLines(_ text: String, _ name: String) throws {
        for line in text.utf8.split(separator: 0x0A) { try checkJSON(line, name) }
    }

    private func checkJSON(_ bytes: some Sequence<UInt8>, _ name: String) throws {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        #expect(throws: Never.self, "\(name): \(text)") {
            try JSONSerialization.jsonObject(with: Data(text.utf8))
        }
        #expect(
            !text.contains(":inf") && !text.contains(":-inf") && !text.contains(":nan"), "\(name)")
    }
}

@Suite struct SaturatingTests {
    @Test(arguments: [
        (1.9, 1), (-1.9, -1), (.infinity, Int.max), (-.infinity, .min), (.nan, 0), (1e308, .max),
        (-1e308, .min), (9.3e18, .max), (-9_223_372_036_854_775_808, .min), (-0.0, 0), (1e-300, 0),
    ])
    func number_isTheNearestThereIs(_ value: Double, _ expected: Int) {
        #expect(Int(saturating: value) == expected)
    }

    @Test func writer_leavesOut_whatIsNotFinite() {
        var line = TranscriptLine(
            seq: 1, line: "l", text: "x", sentTimestamp: .infinity, receivedTimestamp: 0,
            latency: 0)
        (line.start, line.end) = (.nan, 2)
        #expect(
            LineRecord.json(line) == #"{"end":2.0,"line":"l","seq":1,"text":"x","type":"line"}"#)
    }
}
