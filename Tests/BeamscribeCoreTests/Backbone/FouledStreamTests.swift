import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Somebody who may only read at a server has found a way to write: into logs' streams, and over
/// entries.
@Suite("Messages of strangers at a server")
struct FouledStreamTests {
    private let session = UUID()

    /// Every line is shown once at each relay, by the early ones and by one that comes now.
    private func expectWhole(
        _ world: BackboneWorld, _ host: BackboneHost, _ location: SourceLocation = #_sourceLocation
    ) {
        _ = world.relay(of: session)
        world.run(seconds: 15)
        for relay in world.relays {
            #expect(relay.faults == [], sourceLocation: location)
            #expect(relay.shown.count == host.log.lastSeq, sourceLocation: location)
            for (seq, text) in relay.shown {
                #expect(host.log.final(seq)?.text == text, sourceLocation: location)
            }
        }
    }

    private func begun(seed: UInt64) -> (BackboneWorld, BackboneHost) {
        let world = BackboneWorld(seed: seed)
        let host = world.host(ToyCrypto(), session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        host.say(5)
        world.run(seconds: 1)
        return (world, host)
    }

    /// A line with the number that comes next, signed by nobody, or by another.
    private func forged(_ seq: Int, isSigned: Bool) -> [UInt8] {
        let line = LiveChunk(final: seq, line: "x", text: "a lie", sentTimestamp: 1)
        let frame = try! FrameEncoder().frame(.liveChunk(line))
        let payload = Array(frame.dropFirst(FrameDecoder.prefixLength))
        guard isSigned else { return payload }
        return SignedPayload.signed(payload, by: ToyCrypto("another").sign(payload)!)
    }

    private func lie(_ kind: Int, for seq: Int) -> [UInt8] {
        switch kind {
        case 1: Array("{}".utf8)
        case 2: [0, 0, 0, 200]
        case 3: [UInt8](repeating: 0, count: 12)
        case 4: forged(seq, isSigned: false)
        default: forged(seq, isSigned: true)
        }
    }

    @Test("A host whose stream somebody has written into continues, and says what is true")
    func noise() {
        let (world, host) = begun(seed: 1)
        world.server.write(Array("{}".utf8), into: .log(session))
        host.say(3)
        world.run(seconds: 5)
        host.say()
        world.run(seconds: 2)
        #expect(host.news.contains(.fouled(log: "Floor")))
        #expect(!host.news.contains(.foreign(log: "Floor")))
        #expect(host.backbone.isComplete)
        expectWhole(world, host)
    }

    @Test("A host fills a stream again of which messages were deleted", arguments: 0...4)
    func deleted(keeping count: Int) {
        let (world, host) = begun(seed: 3)
        world.server.delete(from: .log(session), keeping: count)
        world.server.kill(losing: 0)
        world.server.start()
        world.run(seconds: 5)
        host.say(2)
        world.run(seconds: 5)
        #expect(host.backbone.isComplete)
        expectWhole(world, host)
    }

    @Test(
        "Lines that were pushed aside are sent again, however slowly the server answers",
        arguments: 1...12)
    func slowAnswers(seed: Int) {
        let (world, host) = begun(seed: UInt64(clamping: seed))
        for _ in 0..<4 {
            world.latency = 0.0002...world.random(0.3...2)
            for _ in 0..<10 {
                host.say(world.number(1...4))
                world.run(seconds: world.random(0...0.4))
                if world.number(1...4) == 1 { world.server.write([123, 125], into: .log(session)) }
            }
            world.latency = 0.0002...0.004
            world.run(seconds: world.random(0...2))
        }
        host.say()
        world.run(seconds: 40)
        #expect(host.backbone.isComplete)
        expectWhole(world, host)
    }

    /// The lines behind the one that a stranger's message has pushed aside were on their way.
    @Test("A host that is killed at that moment sends the line again", arguments: [1, 40, 255])
    func killedHost(lines: Int) {
        let (world, host) = begun(seed: 1)
        host.say(3)
        world.run(seconds: 1)
        let stream = BackboneStream.log(session)
        let pushed = host.log.lastSeq + 1
        host.say(lines)
        world.run(seconds: 1)
        world.server.replace(Array("{}".utf8), at: pushed, in: stream)
        host.crash()
        host.start()
        host.say()
        world.run(seconds: 20)
        expectWhole(world, host)
        _ = world.relay(of: session)
        world.run(seconds: 5)
        expectWhole(world, host)
    }

    @Test("A server that hides its streams is not asked without a pause")
    func hiddenStreams() {
        let world = BackboneWorld(seed: 4)
        world.server.hidesStreams = true
        let host = world.host(ToyCrypto(), session)
        host.say(5)
        world.run(seconds: 20)
        #expect(world.server.requests < 200, "\(world.server.requests)")
        world.server.hidesStreams = false
        world.run(seconds: 5)
        #expect(host.backbone.isComplete)
        expectWhole(world, host)
    }

    @Test("It cannot be stopped by more of it", arguments: 1...20)
    func flood(seed: Int) {
        let (world, host) = begun(seed: UInt64(clamping: seed))
        for round in 0..<60 {
            for _ in 0..<world.number(0...5) {
                let next = host.log.lastSeq + world.number(-2...2)
                let lie = lie(world.number(1...5), for: max(next, 1))
                let subject = world.number(0...1) == 0 ? nil : "beamscribe.event.x"
                world.server.write(lie, into: .log(session), as: subject)
            }
            host.say(world.number(1...4))
            world.run(seconds: world.random(0...0.3))
            switch (seed % 4, round) {
            case (1, 30):
                world.server.kill(losing: world.number(0...20))
                world.run(seconds: 1)
                world.server.start()
            case (2, 30):
                host.crash()
                host.start(losing: world.number(0...3))
            case (3, 30): world.server.wipe()
            default: break
            }
        }
        world.run(seconds: 10)
        #expect(!host.news.contains(.foreign(log: "Floor")))
        expectWhole(world, host)
    }

    @Test("What strangers write before the first line, or in its place, is skipped")
    func fromTheStart() {
        let world = BackboneWorld(seed: 5)
        let host = world.host(ToyCrypto(), session)
        world.run(seconds: 1)
        world.server.write(forged(1, isSigned: true), into: .log(session))
        host.say(4)
        world.run(seconds: 5)
        expectWhole(world, host)
    }

    @Test("Only a line that the log's own key has signed is a copied folder's")
    func copies() {
        let (world, host) = begun(seed: 6)
        let copy = world.host(ToyCrypto(), session)
        copy.say(9)
        world.run(seconds: 10)
        #expect(copy.news.contains(.foreign(log: "Floor")))
        #expect(!copy.news.contains(.fouled(log: "Floor")))
        #expect(host.log.lastSeq == 5)
    }

    private static let answers: [(wrong: Int, of: Int)] = [
        (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (Int.max, 1), (Int.max, 2), (Int.max, 3),
    ]

    @Test(
        "A server that keeps silent and then says wrong things is not taken for a copied folder",
        arguments: answers)
    func wrongAnswers(wrong: Int, of: Int) {
        let (world, host) = begun(seed: 10)
        var (left, asked) = (wrong, 0)
        world.server.lie = { payload in
            asked += 1
            guard left > 0, asked % of == 0 else { return payload }
            left -= 1
            let words = Array("run ".utf8)
            guard let start = payload.indices.first(where: { payload[$0...].starts(with: words) })
            else { return payload }
            var changed = payload
            changed[start] = UInt8(ascii: "Q")
            return changed
        }
        for _ in 0..<3 {
            for isHidden in [true, false] {
                world.server.hidesAcknowledgements = isHidden
                for _ in 0..<20 {
                    host.say()
                    world.run(seconds: 0.2)
                }
            }
        }
        world.run(seconds: 6)
        #expect(!host.news.contains(.foreign(log: "Floor")))
        // Lines that were not confirmed are written again, more and more seldom.
        let stored = world.server.streams[.log(session)]?.count ?? 0
        #expect(stored <= 4 * host.log.lastSeq, "\(stored) of \(host.log.lastSeq)")
        #expect(host.backbone.isComplete)
        expectWhole(world, host)
    }

    @Test("A record that somebody has put something else over is there again for those who come")
    func hidden() {
        let (world, host) = begun(seed: 7)
        for kind in [BackboneEntry.Kind.log, .head] {
            world.server.write(
                Array(#"{"error":"no"}"#.utf8), under: BackboneEntry(kind, of: session, in: session)
            )
        }
        world.run(seconds: 12)
        host.say()
        world.run(seconds: 5)
        expectWhole(world, host)
    }

    // MARK: Partials

    /// The words that are being said in the log, as somebody hears them who may use the server.
    private func listener(in world: BackboneWorld) -> (ModelServer.Client, () -> [[UInt8]]) {
        var heard: [[UInt8]] = []
        let client = ModelServer.Client("listener") {
            if case .message(_, _, _, let payload) = $0 { heard.append(payload) }
        }
        world.server.connect(client)
        world.run(seconds: 1)
        world.server.ask(.listen(BackboneEntry.partials(of: session), reading: 1), by: client)
        world.run(seconds: 1)
        return (client, { heard })
    }

    @Test("A true partial that somebody says again is not shown, neither early nor late")
    func oldPartials() {
        let (world, host) = begun(seed: 11)
        let (client, heard) = listener(in: world)
        let texts = ["my secret is", "my secret is 4711", "scrap that"]
        for text in texts {
            host.begin(text)
            world.run(seconds: 0.5)
        }
        let relay = world.relays[0]
        #expect(relay.partials == texts)
        func sayAgain(_ payloads: [[UInt8]]) {
            for payload in payloads {
                world.server.ask(.say(BackboneEntry.partials(of: session), payload), by: client)
                world.run(seconds: 0.5)
            }
        }
        let old = heard()
        #expect(old.count == 3)
        sayAgain(old)
        #expect(relay.partials == texts)
        host.begin("")
        world.run(seconds: 0.5)
        #expect(relay.partials == texts + [""])
        sayAgain(old)
        #expect(relay.partials == texts + [""])
        world.run(seconds: 20)
        let late = world.relay(of: session)
        world.run(seconds: 5)
        sayAgain(old)
        #expect(late.partials == [])
        host.say()
        world.run(seconds: 1)
        sayAgain(old)
        #expect(relay.partials == texts + [""] && late.partials == [])
        host.begin("new")
        world.run(seconds: 0.5)
        #expect(relay.partials.last == "new" && late.partials == ["new"])
    }

    // MARK: Numbers

    private static let extremes = [Int.max, Int.max - 1, Limits.lineNumber + 1, -1, Int.min]

    @Test("A server that counts wrongly is not believed, and stops nobody", arguments: extremes)
    func counts(number: Int) {
        let (world, host) = begun(seed: 8)
        let stream = BackboneStream.log(session)
        let reader = BackboneReader(of: session, isOpen: false, proving: ToyCrypto())
        let answers: [BackboneEvent] = [
            .connected, .found(stream, count: number, newest: [1]),
            .stored(stream, number: number, flight: 1),
            .added(stream, line: number, at: number, flight: 1),
            .fetched(stream, number: number, [1]),
            .refused(stream, number: number, flight: 1, why: ""),
            .message(reading: 1, subject: stream.subject, number: number, [1]),
        ]
        for answer in answers {
            _ = host.backbone.take(answer, now: world.now)
            _ = reader.take(answer, now: world.now.uptime)
            world.run(seconds: 0.3)
        }
        host.say(3)
        world.run(seconds: 10)
        expectWhole(world, host)
    }

    @Test("A head's runs are bounded, whatever they are", arguments: [Int.max, 1 << 53])
    func runs(number: Int) throws {
        let crypto = ToyCrypto()
        let log = crypto.log(session, now: VirtualRoom.beginning)
        let record = Array(log.record!.dropFirst(FrameDecoder.prefixLength))
        var head = LogHead(
            session: session.wireName, runs: [0, number], seq: 5,
            hash: String(repeating: "0", count: 64), at: 5, air: 1, handTo: nil, state: "live",
            inputAge: 0, time: 1_800_000_000, next: 3)
        head.seq = 5
        let bytes = Array(
            try FrameEncoder().frame(.head(head)).dropFirst(FrameDecoder.prefixLength))
        let hash = bytes.withUnsafeBytes { crypto.hash(SignedPayload($0).body) }
        let signed = SignedPayload.signed(
            bytes, by: crypto.sign(LogStatement.head(hash, of: session))!)
        let reader = BackboneReader(of: session, isOpen: false, proving: crypto)
        reader.begin()
        _ = reader.take(.connected, now: .zero)
        for (kind, payload) in [(BackboneEntry.Kind.log, record), (.head, signed)] {
            let subject = BackboneEntry(kind, of: session, in: session).subject
            _ = reader.take(
                .message(reading: 1, subject: subject, number: 1, payload), now: .zero)
        }
        _ = reader.take(.caughtUp(reading: 1), now: .zero)
        #expect(reader.main?.runs.after == [0, Limits.lineNumber])
        _ = reader.read(ReadRequest(session.wireName, after: Int.max, run: 2), now: .zero)
        for part in [1, 2] {
            _ = reader.take(
                .found(.log(session, part: part), count: number, newest: [1]), now: .zero)
            _ = reader.take(
                .message(reading: 2, subject: "", number: number, [1]), now: .zero)
        }
    }
}
