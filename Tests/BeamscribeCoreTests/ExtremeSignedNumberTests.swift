import Foundation
import Testing

@testable import BeamscribeCore

/// Numbers of packets that count because they are signed, and of what is kept on disks: each with
/// values that nobody means, through whoever takes them in.
@Suite struct ExtremeSignedNumberTests: EventWithWriters {
    static let values = ExtremeNumberTests.finite + ["1e10", "-1e10", "253402300800", "1795219606"]

    /// A packet whose keys have these values, one of them changed.
    private struct Sample {
        let type: String
        let fixed: String
        let numbers: [(key: String, usual: String)]

        /// With the usual numbers.
        var usual: String {
            let pairs = numbers.map { #","\#($0)":"# + ($0 == "runs" ? "[\($1)]" : $1) }
            return #"{"type":"\#(type)""# + fixed + pairs.joined() + "}"
        }

        /// Each with one of its numbers put in the place of the usual one.
        var payloads: [(name: String, json: String)] {
            numbers.flatMap { changed in
                ExtremeSignedNumberTests.values.flatMap { value in
                    let pairs = numbers.map { key, usual in
                        let number = key == changed.key ? value : usual
                        return #","\#(key)":"# + (key == "runs" ? "[0,\(number)]" : number)
                    }
                    // Runs of one that is changed are those of a log that was begun anew.
                    return [
                        (
                            "\(type) \(changed.key) \(value)",
                            #"{"type":"\#(type)""# + fixed + pairs.joined() + "}"
                        )
                    ]
                }
            }
        }
    }

    private func head(
        of log: UUID, seq: Int = 1, hash: LogHash, and more: String = ""
    ) -> Sample {
        Sample(
            type: "head",
            fixed: #","session":"\#(log.wireName)","hash":"\#(hash.hex)","state":"live""#
                + more,
            numbers: [
                ("runs", "0"), ("seq", "\(seq)"), ("at", "\(seq)"), ("air", "1"),
                ("inputAge", "1.5"), ("time", "1800000009.5"), ("next", "4"),
            ])
    }

    private func record(of log: UUID, by crypto: ToyCrypto) -> Sample {
        let key = Data(crypto.publicKey).base64EncodedString()
        return Sample(
            type: "log",
            fixed: #","session":"\#(log.wireName)","event":"\#(event.wireName)","key":"\#(key)""#
                + #","label":"Room 2","kind":"captions","eventName":"E","deviceName":"D""#,
            numbers: [("created", "1800000000.5"), ("number", "2")])
    }

    private func grant(of log: UUID, to crypto: ToyCrypto) -> Sample {
        Sample(
            type: "grant",
            fixed: #","event":"\#(event.wireName)","session":"\#(log.wireName)","key":""#
                + ToyVerifier(crypto: crypto).writer.hex + #"""#,
            numbers: [("rank", "1"), ("number", "2"), ("until", "1")])
    }

    private func line(_ seq: Int) -> Sample {
        Sample(
            type: "liveChunk", fixed: #","isFinal":true,"line":"2","text":"two words""#,
            numbers: [
                ("seq", "\(seq)"), ("sentTimestamp", "1800000000.5"), ("start", "3.5"),
                ("end", "4.5"), ("replaces", "1"), ("of", "1"), ("at", "2"), ("revision", "1"),
            ])
    }

    private func signed(
        _ json: String, by crypto: ToyCrypto, _ statement: (LogHash) -> [UInt8]
    ) -> [UInt8] { crypto.signedFrame(FrameEncoder.frame(Array(json.utf8)), statement) }

    private func chain(of log: UUID, by crypto: ToyCrypto, through frames: [[UInt8]]) -> LineChain {
        var chain = LineChain(of: log, by: crypto)
        for frame in frames {
            frame[FrameDecoder.prefixLength...].withUnsafeBytes {
                chain.append(SignedPayload($0))
            }
        }
        return chain
    }

    // MARK: Through hosts, readers and machines that serve

    /// All that a writer who was let in can sign, sent to the host, which gives on what it takes.
    @Test func hostAndItsReaders_liveOn_whateverAWriterSigns() {
        var packets: [(name: String, frame: [UInt8])] = []
        let start = LineChain(of: second, by: writer)
        for (name, json) in head(of: second, seq: 0, hash: start.hash).payloads {
            packets.append((name, signed(json, by: writer) { LogStatement.head($0, of: second) }))
        }
        for (name, json) in record(of: second, by: writer).payloads {
            packets.append((name, signed(json, by: writer) { LogStatement.record($0) }))
        }
        for (name, json) in line(1).payloads {
            let frame = FrameEncoder.frame(Array(json.utf8))
            let chain = chain(of: second, by: writer, through: [frame])
            let line = signed(json, by: writer) { _ in LogStatement.line(chain, run: 1) }
            packets.append((name, line))
        }
        for key in ["from", "through", "count"] {
            for value in Self.values {
                let numbers = ["from", "through", "count"].map {
                    #","\#($0)":\#($0 == key ? value : "1")"#
                }.joined()
                let json = #"{"type":"fullHistory","session":"\#(second.wireName)"\#(numbers)}"#
                packets.append(("\(key) \(value)", FrameEncoder.frame(Array(json.utf8))))
            }
        }
        for key in ["after", "run"] {
            for value in Self.values {
                let json =
                    #"{"type":"read","session":"\#(event.wireName)","after":0,"run":1,"\#(key)":\#(value)}"#
                packets.append(("read \(key) \(value)", FrameEncoder.frame(Array(json.utf8))))
            }
        }
        let mention = try! FrameEncoder().frame(.inLog(LogMention(second.wireName)))
        for (name, frame) in packets {
            let room = room()
            let (guest, shelf) = reader(room, keepsOthers: true)
            let holder = HolderNode("Cem", in: room, of: founder)
            let ben = contributor(room)
            room.say("one")
            room.deliver()
            var isSaid = false
            room.tamperWithGuests = { bytes in
                guard !isSaid, !bytes.isEmpty else { return bytes }
                isSaid = true
                return bytes + mention + frame
            }
            ben.whisper("so")
            room.tamperWithGuests = { $0 }
            room.pass(seconds: 8)
            [holder].pass(seconds: 2)
            room.say("two")
            room.pass(seconds: 2)
            #expect(isSaid && guest.texts == ["one", "two"], "\(name)")
            #expect(room.host.room.brokenInvariant == nil, "\(name)")
            #expect(shelf.brokenInvariant == nil, "\(name)")
            #expect(holder.shelf.brokenInvariant == nil, "\(name)")
            #expect(guest.allLines.allSatisfy { $0.at <= 2_000_000 }, "\(name)")
        }
    }

    /// The founder's own words, through a guest that keeps the event and whoever reads from there.
    @Test func readersAndHolders_liveOn_whateverTheFounderSigns() {
        let text = FrameEncoder.frame(
            Array(
                #"{"type":"liveChunk","isFinal":true,"seq":1,"line":"1","text":"one","sentTimestamp":1}"#
                    .utf8))
        let hash = chain(of: event, by: founder, through: [text]).hash
        var packets: [(name: String, frame: [UInt8])] = []
        for seq in [0, 1, 2] {
            for (name, json) in head(of: event, seq: seq, hash: hash).payloads {
                packets.append(
                    (
                        "\(name) \(seq)",
                        signed(json, by: founder) { LogStatement.head($0, of: event) }
                    )
                )
            }
        }
        for value in Self.values {
            for numbers in [#""number":\#(value),"until":1"#, #""number":9,"until":\#(value)"#] {
                let putOut = #","putOut":[{"session":"\#(second.wireName)",\#(numbers)}]"#
                let json = head(of: event, hash: hash, and: putOut).usual
                packets.append(
                    (
                        "head \(numbers)",
                        signed(json, by: founder) { LogStatement.head($0, of: event) }
                    )
                )
            }
        }
        for (name, json) in grant(of: second, to: writer).payloads {
            packets.append((name, signed(json, by: founder) { LogStatement.grant($0, to: event) }))
        }
        for (name, json) in record(of: second, by: founder).payloads {
            packets.append((name, signed(json, by: founder) { LogStatement.record($0) }))
        }
        for (name, frame) in packets {
            let room = room()
            let (guest, shelf) = reader(room, keepsOthers: true)
            contributor(room).say("uno")
            room.say("one")
            room.deliver()
            room.say(frame, to: guest)
            room.pass(seconds: 2)
            _ = shelf.tick(now: room.now)
            room.say("two")
            room.pass(seconds: 8)
            #expect(shelf.brokenInvariant == nil, "\(name)")
            #expect(guest.allLines.allSatisfy { $0.at <= 3_000_000 }, "\(name)")
        }
    }

    /// What comes to a node of a mesh by a link of one that takes part.
    @Test func nodesOfAMesh_liveOn_whateverOneOfThemSays() {
        for key in ["runs", "seq", "at", "air", "inputAge", "time", "next", "number", "created"] {
            for value in Self.values.enumerated().filter({ $0.offset.isMultiple(of: 3) }).map(
                \.element)
            {
                let world = MeshWorld(nodes: 3, seed: 3)
                world.nodes.forEach { $0.start() }
                world.run(seconds: 3)
                world.tamper = { sender, bytes in
                    sender === world.nodes[0]
                        ? Self.put(value, at: key, in: bytes, by: sender.crypto) : bytes
                }
                world.nodes.forEach { $0.say(2) }
                world.run(seconds: 6)
                world.tamper = { $1 }
                world.nodes.forEach { $0.say(1) }
                world.run(seconds: 30)
                // A node that contradicts itself is told to be one that does.
                let faults = world.nodes.flatMap(\.faults).filter { !$0.contains("Node 0") }
                #expect(faults == [], "\(key) \(value)")
            }
        }
    }

    /// Frames with another number at a key of what a node says of its log, signed by its key.
    private static func put(
        _ value: String, at key: String, in bytes: [UInt8], by crypto: ToyCrypto
    ) -> [UInt8] {
        var (rest, made) = (bytes[...], [UInt8]())
        while rest.count >= FrameDecoder.prefixLength {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let payload = Array(rest.dropFirst(4).prefix(length))
            rest = rest.dropFirst(4 + length)
            made += changed(payload, key, value, by: crypto) ?? FrameEncoder.frame(payload)
        }
        return made + rest
    }

    private static func changed(
        _ payload: [UInt8], _ key: String, _ value: String, by crypto: ToyCrypto
    ) -> [UInt8]? {
        let body = payload.withUnsafeBytes {
            String(decoding: SignedPayload($0).body, as: UTF8.self)
        }
        let isHead = body.hasPrefix(#"{"type":"head""#)
        guard isHead || body.hasPrefix(#"{"type":"log""#),
            let start = body.range(of: #""\#(key)":"#)?.upperBound,
            let id = body.range(of: #""session":""#)?.upperBound,
            let log = UUID(uuidString: String(body[id...].prefix(36)))
        else { return nil }
        let end = body[start...].firstIndex(of: key == "runs" ? "]" : ",") ?? body.endIndex
        let number = key == "runs" ? "[0,\(value)" : value
        let json = body[..<start] + number + body[end...] + "}"
        return crypto.signedFrame(FrameEncoder.frame(Array(json.utf8))) {
            isHead ? LogStatement.head($0, of: log) : LogStatement.record($0)
        }
    }

    // MARK: From disks

    /// A log that is held here is kept with its writer's newest head: a host, a relay and an export
    /// read it.
    @Test func keptLog_isReadBack_whateverItsHeadSays() throws {
        let session = second
        for seq in [0, 1, 2] {
            let lines = (1...2).map { number in
                FrameEncoder.frame(
                    Array(
                        #"{"type":"liveChunk","isFinal":true,"seq":\#(number),"line":"\#(number)","text":"line","sentTimestamp":1}"#
                            .utf8))
            }
            let hash = chain(of: session, by: writer, through: Array(lines.prefix(seq))).hash
            for (name, json) in head(of: session, seq: seq, hash: hash).payloads {
                let frame = signed(json, by: writer) { LogStatement.head($0, of: session) }
                let held = try heldLog(lines, head: Array(frame[FrameDecoder.prefixLength...]))
                let room = VirtualRoom(serving: held.log, proving: ToyCrypto("holder").security)
                let guest = room.guest(of: writer)
                room.connect(guest)
                room.pass(seconds: 8)
                #expect(held.log.lastSeq == 2 && guest.texts.count <= 2, "\(name)")
                #expect(held.place <= 2_000_000 && held.log.brokenInvariant == nil, "\(name)")
            }
        }
    }

    private func heldLog(_ lines: [[UInt8]], head: [UInt8]) throws -> HeldLog {
        let record = LogRecord(
            founding: second.wireName, eventName: "E", deviceName: "D", created: 1, number: 1)
        let own = try #require(
            LogWriter(of: second, run: 1, as: record, by: writer, hashing: writer))
        var kept = SessionRecord(
            session: second.wireName, eventName: "E", deviceName: "D", started: 1)
        kept.writer = ToyVerifier(crypto: writer).writer
        kept.held = SessionRecord.Held(
            log: Data(own.record[FrameDecoder.prefixLength...]), head: Data(head), joints: nil,
            address: nil)
        // Read back as a file is.
        kept = try #require(SessionRecord(json: kept.json))
        let chain = chain(of: second, by: writer, through: lines)
        let last = writer.signedFrame(lines[1]) { _ in LogStatement.line(chain, run: 1) }
        let file = lines[0] + last
        var recovery = try #require(HeldRecovery(of: kept, by: writer))
        var next: UInt64? = 0
        while let offset = next {
            let bytes = file.dropFirst(Int(clamping: offset))
            next = bytes.withUnsafeBytes { recovery.read($0, at: offset) }
        }
        return recovery.log(heldBy: "here", now: VirtualRoom.beginning)
    }

    /// The record of a session, with each of its numbers changed, through what a host and a list do
    /// with it.
    @Test func sessionRecord_isReadBack_whateverItsNumbersSay() throws {
        let numbers = [
            ("version", "1"), ("port", "23267"), ("guests", "3"), ("keep", "86400"),
            ("started", "1800000000.5"), ("after", "4"), ("offset", "77"), ("line", "3"),
            ("time", "1800000001.5"), ("joint", "1"),
        ]
        for (key, _) in numbers {
            for value in Self.values {
                let at = { (name: String, usual: String) in name == key ? value : usual }
                let json = #"""
                    {"version":\#(at("version", "1")),"session":"\#(second.wireName)","eventName":"E",
                     "deviceName":"D","port":\#(at("port", "23267")),"guests":\#(at("guests", "3")),
                     "keep":\#(at("keep", "86400")),"state":"running",
                     "runs":[{"started":1800000000.5,"after":0,"offset":0},
                       {"started":\#(at("started", "1800000000.5")),"after":\#(at("after", "4")),
                        "offset":\#(at("offset", "77"))}],
                     "marks":[{"after":\#(at("line", "3")),"time":\#(at("time", "1800000001.5"))}],
                     "held":{"log":"","joints":[{"after":\#(at("joint", "1")),"hash":"00"}]}}
                    """#
                guard var record = SessionRecord(json: Array(json.utf8)) else { continue }
                _ = (
                    record.sessionRuns, record.boundaries(inLogOf: 1_000), record.title,
                    record.event
                )
                _ = HeldRecovery(of: record, by: writer)
                var runs = record.sessionRuns ?? SessionRuns()
                runs.begin(after: 9)
                _ = (
                    runs.run(of: 5), runs.valid(through: 5, of: 2), runs.valid(through: 5, of: .max)
                )
                record.begin(at: 5, after: 9, offset: 100)
                record.adopt(runs)
                var log: [UInt8] = []
                for seq in 1...6 { log += try SampleLog.frame(seq, "line") }
                var survey = JournalSurvey(within: record.boundaries(inLogOf: 1_000))
                var next: UInt64? = 0
                while let offset = next {
                    let bytes = log.dropFirst(Int(clamping: offset))
                    next = bytes.withUnsafeBytes { survey.read($0, at: offset) }
                }
                #expect(survey.count <= 6, "\(key) \(value)")
                #expect(SessionRecord(json: record.json) != nil, "\(key) \(value)")
            }
        }
    }
}
