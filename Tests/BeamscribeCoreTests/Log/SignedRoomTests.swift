import Foundation
import Testing

@testable import BeamscribeCore

/// Rooms whose log is signed: what guests get, and what they show of it.
@Suite struct SignedRoomTests {
    private let writer = ToyCrypto()
    private let session = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!

    private func room(_ seed: UInt64 = 1) -> VirtualRoom {
        VirtualRoom(signing: writer, seed: seed, session: session)
    }

    /// The packets among bytes of the wire, as they are written.
    private func payloads(_ bytes: [UInt8]) -> [String] {
        var (decoder, payloads) = (FrameDecoder(), [String]())
        _ = bytes.withUnsafeBytes { bytes in
            try? decoder.decode(bytes) {
                payloads.append(String(decoding: $0, as: UTF8.self))
                return true
            }
        }
        return payloads
    }

    @Test func lastLineOfABatch_isSigned_andNoOther() {
        let room = room()
        let guest = room.guest()
        room.say("one", "two", "three")
        room.connect(guest)
        room.say("four")
        room.deliver()
        #expect(guest.texts == ["one", "two", "three", "four"])
        let lines = payloads(guest.received).filter { $0.contains(#""isFinal":true"#) }
        #expect(
            lines.map { $0.hasSuffix("\"}") && $0.contains(#","sig":""#) } == [
                false, false, true, true,
            ])
    }

    @Test func line_isNotShown_beforeItIsSigned() {
        let room = room()
        let guest = room.guest()
        room.connect(guest)
        room.host.publisher.publish(final: Caption(text: "one"), now: room.now)
        room.host.publisher.publish(partial: Caption(text: "tw"), now: room.now)
        room.deliver()
        #expect(guest.texts.isEmpty && guest.lastPartial == nil)
        room.host.log.seal()
        room.deliver()
        #expect(guest.texts == ["one"] && guest.lastPartial == "tw")
    }

    /// What came at once is told in its order, though it is proven together.
    @Test func partial_isTold_behindTheLinesThatCameBeforeIt() {
        let room = room()
        let guest = room.guest()
        room.connect(guest)
        var held: [UInt8] = []
        room.tamper = { [self] bytes in
            held += bytes
            guard payloads(bytes).contains(where: { $0.contains("isFinal\":false") }) else {
                return []
            }
            defer { held = [] }
            return held
        }
        room.say("one", "two")
        room.whisper("th")
        room.deliver()
        let told = guest.events.compactMap { event -> String? in
            switch event {
            case .line(let line): line.text
            case .partial(let partial): partial.text
            default: nil
            }
        }
        #expect(told == ["one", "two", "th"])
    }

    /// However a guest begins, and whatever is gone, what it needs to judge the lines comes first.
    @Test(arguments: [GuestSession.Start.beginning, .next, .line(3), .line(180)])
    func guest_getsItsLines_whereverItBegins(_ start: GuestSession.Start) {
        let room = VirtualRoom(signing: writer, limit: 0, chunkSize: 4_096)
        room.say("1", "2", "3", "4")
        for number in 5...200 { room.say(String(number)) }
        #expect(room.host.log.firstSeq > 4, "nothing has gone from memory")
        let guest = room.guest(start: start)
        room.connect(guest)
        room.say("201", "202")
        room.deliver()
        let first =
            switch start {
            case .next: 201
            case .line(180): 180
            default: room.host.log.firstSeq
            }
        #expect(guest.texts == (first...202).map(String.init))
        room.cut(guest)
        room.say("203")
        room.pass(seconds: 3)
        #expect(guest.texts.last == "203" && guest.lines.count == 204 - first)
        #expect(guest.outcome == nil)
    }

    /// Whoever answers first may be nobody's host, and be gone before he has proven anything.
    @Test func numberThatAStrangerSays_isNotWhereAReaderBegins() {
        let room = room()
        room.say("one")
        let guest = room.guest(start: .next)
        room.tamper = { bytes in
            guard let answer = payloads(bytes).first else { return [] }
            let lie = answer.replacing(#""lastSeq":1"#, with: #""lastSeq":7"#)
            return FrameEncoder.frame(Array(lie.utf8))
        }
        room.connect(guest)
        room.cut(guest)
        room.tamper = { $0 }
        room.pass(seconds: 10)
        room.say("two")
        room.deliver()
        #expect(guest.texts == ["two"])
    }

    /// A signature takes as long as the hashes of a hundred lines: of a long history few are looked at,
    /// and nobody waits long for what has come.
    @Test func longHistory_isProvenInFewSteps_andShownAsItComes() {
        let room = room()
        for number in 1...2_500 { room.say("line \(number)") }
        room.pieceSize = 4_096
        let guest = room.guest()
        var pieces = 0
        var shown: Set<Int> = []
        room.tamper = { bytes in
            pieces += 1
            shown.insert(guest.session.position?.after ?? 0)
            return bytes
        }
        room.connect(guest)
        #expect(guest.texts == (1...2_500).map { "line \($0)" })
        #expect(pieces > 200 && shown.count < 100, "\(pieces) pieces, \(shown.count) proofs")
        let steps = shown.sorted()
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $1 - $0 < 50 + $0 / 7 })
    }

    /// What waits for a later proof has one of its own.
    @Test func linesThatCame_areShown_whenTheirConnectionEnds() {
        let room = room()
        for number in 1...2_000 { room.say("line \(number)") }
        room.pieceSize = 4_096
        let guest = room.guest()
        var come: [UInt8] = []
        room.tamper = { bytes in
            guard come.count < 300_000 else { return [] }
            come += bytes
            return bytes
        }
        room.connect(guest)
        let whole = payloads(come).count { $0.contains(#""isFinal":true"#) }
        #expect(whole > 500 && guest.lines.count < whole, "nothing waits")
        room.cut(guest)
        #expect(guest.texts == (1...whole).map { "line \($0)" })
        room.tamper = { $0 }
        room.pass(seconds: 3)
        #expect(guest.texts == (1...2_000).map { "line \($0)" })
    }

    /// What it has of an earlier run of its own, it has no hash of.
    @Test func guest_goesOn_whereItWasInAnotherProgram() {
        let room = room()
        room.say("one", "two", "three")
        let guest = room.guest(resuming: .init(session: session.wireName, after: 2))
        room.connect(guest)
        #expect(guest.texts == ["three"])
    }

    @Test func guestWithoutLogs_getsWhatItKnows_andTheSameLines() {
        let room = room()
        let old = room.guest(proving: nil)
        room.say("one", "two")
        room.connect(old)
        room.whisper("th")
        room.pass(seconds: 10)
        #expect(old.texts == ["one", "two"] && old.lastPartial == "th")
        for payload in payloads(old.received) {
            for word in [#""type":"log""#, #""type":"head""#, #""hash""#, #""logs""#] {
                #expect(!payload.contains(word), "\(payload)")
            }
        }
    }

    /// Before the first line everybody knows the hash.
    @Test func history_tellsTheHash_onlyBehindTheFirstLine() throws {
        let room = room()
        let first = room.guest()
        room.say("one", "two")
        room.connect(first)
        room.cut(first)
        room.say("three")
        room.pass(seconds: 3)
        #expect(first.texts == ["one", "two", "three"])
        let histories = payloads(first.received).filter { $0.contains("fullHistory") }
        try #require(histories.count == 2)
        #expect(histories[0].contains(#""from":1,"#) && !histories[0].contains(#""hash""#))
        #expect(histories[1].contains(#""from":3,"#) && histories[1].contains(#""hash""#))
    }

    @Test func guest_readsAHostThatSignsNothing() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.say("one")
        room.connect(guest)
        #expect(guest.texts == ["one"])
    }

    // MARK: Heads

    private func heads(_ guest: VirtualGuest) -> [LogHead] {
        payloads(guest.received).compactMap { payload in
            let packet = Array(payload.utf8).withUnsafeBytes { try? PacketDecoder().packet($0) }
            if case .head(let head)? = packet { return head }
            return nil
        }
    }

    @Test func head_comesWithTheWelcome_thenEveryFourSeconds_andWhenTheStateChanges() throws {
        let room = room()
        let guest = room.guest()
        room.say("one")
        room.connect(guest)
        #expect(heads(guest).map(\.seq) == [1])
        room.pass(seconds: 20)
        #expect((5...6).contains(heads(guest).count))
        room.host.publisher.set(.paused, now: room.now)
        room.pass(seconds: 1)
        #expect(heads(guest).last?.state == "paused" && heads(guest).last?.next == 4)
        room.pass(seconds: 400)
        #expect(heads(guest).last?.next == 16)
        room.finish(.ended)
        #expect(heads(guest).last?.state == "ended")
        let times = heads(guest).map(\.time)
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    /// A host that was killed between the lines of a batch and its signature has them on its disk.
    @Test func linesWithoutASignature_areProvenByAHead() {
        let before = room()
        before.say("one", "two")
        let transcript = Transcript(hashing: LineChain(of: session, by: writer))
        before.host.log.forEachPayload { seq, payload in
            let body = Array(SignedPayload(payload).body) + [UInt8(ascii: "}")]
            body.withUnsafeBytes { transcript.restore(payload: $0, seq: seq) }
        }
        let log = writer.log(
            session, SessionRuns(after: [0, 2])!, now: before.now, holding: transcript)
        let after = VirtualRoom(serving: log, proving: writer.security)
        let guest = after.guest()
        after.connect(guest)
        #expect(guest.texts == ["one", "two"])
        after.say("three")
        after.deliver()
        #expect(guest.texts == ["one", "two", "three"])
    }

    /// Lines keep the run in which they were said; what comes next is the new run's.
    @Test func linesOfEarlierRuns_areProvenAsTheirs() {
        let before = room()
        let guest = before.guest()
        before.connect(guest)
        before.say("one", "two")
        before.say("lost")
        before.deliver()
        let transcript = Transcript(hashing: LineChain(of: session, by: writer))
        before.host.log.forEachPayload(through: 2) { transcript.restore(payload: $1, seq: $0) }
        let log = writer.log(
            session, SessionRuns(after: [0, 2])!, now: before.now, holding: transcript)
        let after = VirtualRoom(serving: log, proving: writer.security)
        after.say("other")
        let back = after.guest(resuming: guest.session.position)
        after.connect(back)
        #expect(back.texts == ["other"])
        #expect(back.events.contains(.withdrawn(from: 3, through: 3)))
        let late = after.guest("Ben")
        after.connect(late)
        #expect(late.texts == ["one", "two", "other"])
    }

    // MARK: Lies

    /// Whatever a single byte between them is turned into, a guest shows no word that the host has
    /// not said, and none at another place.
    @Test func guest_showsTheHostsWords_whateverByteIsChanged() {
        for seed in 0..<UInt64(300) {
            let room = room(seed)
            var generator = SeededGenerator(seed: seed)
            let guest = room.guest()
            var left = Int.random(in: 0..<6_000, using: &generator)
            let flip = UInt8.random(in: 1...255, using: &generator)
            room.tamper = { bytes in
                var bytes = bytes
                if bytes.indices.contains(left) { bytes[left] ^= flip }
                left -= bytes.count
                return bytes
            }
            let said = (1...30).map { "words of line \($0)" }
            room.connect(guest)
            for (number, text) in said.enumerated() {
                room.whisper(String(text.prefix(number)))
                room.deliver()
                room.say(text)
                if number.isMultiple(of: 3) { room.deliver() }
            }
            room.pass(seconds: 20)
            #expect(guest.texts == Array(said.prefix(guest.texts.count)), "seed \(seed)")
            let shown = Set(
                guest.events.compactMap { event in
                    if case .partial(let partial) = event { partial.text } else { nil }
                })
            let whispered = said.enumerated().map { String($1.prefix($0)) } + [""]
            #expect(shown.isSubset(of: whispered), "seed \(seed)")
        }
    }

    /// What a holder could do to whole packets.
    enum Lie: CaseIterable {
        case keptBack, otherWords, otherSpeaker, leftOut, exchanged, twice, signatureGone, otherLog
        case partialUnsigned, partialChanged, otherKey, recordGone, headAhead, headChanged, otherRun
    }

    @Test(arguments: Lie.allCases)
    func guest_showsNothing_ofWhatIsNotTheWriters(_ lie: Lie) throws {
        let room = room()
        let guest = room.guest(reconnects: false)
        let other = VirtualRoom(signing: writer, session: UUID())
        let observer = other.guest("observer")
        other.say("one", "two", "another log's")
        other.connect(observer)
        let strange = payloads(observer.received).filter { $0.contains("another log's") }
        room.tamper = { [self] in
            lied(lie, payloads($0), strange).flatMap { FrameEncoder.frame($0.utf8) }
        }
        room.say("one", "two")
        room.connect(guest)
        room.say("three")
        room.whisper("fo")
        room.deliver()
        room.say("four")
        room.pass(seconds: 14)
        let said = ["one", "two", "three", "four"]
        #expect(guest.texts == Array(said.prefix(guest.texts.count)))
        #expect([nil, "fo", ""].contains(guest.lastPartial))
        guard case .protocolViolation(let why)? = guest.outcome else {
            Issue.record(
                "\(lie) was believed: \(guest.texts), \(String(describing: guest.outcome))")
            return
        }
        #expect(why.hasPrefix("the machine that answers "))
    }

    private func lied(_ lie: Lie, _ packets: [String], _ strange: [String]) -> [String] {
        var packets = packets
        func change(_ word: String, _ old: String, _ new: String) {
            packets = packets.map { $0.contains(word) ? $0.replacing(old, with: new) : $0 }
        }
        switch lie {
        case .keptBack: packets.removeAll { $0.contains(#""seq":4,"#) && $0.contains("liveChunk") }
        case .otherWords: change("three", "three", "threw")
        case .otherSpeaker: change("three", #""line":"l-3""#, #""line":"l-3","speaker":"Ann""#)
        case .leftOut:
            packets.removeAll { $0.contains("three") }
            change("four", #""seq":4"#, #""seq":3"#)
        case .exchanged:
            if let index = packets.firstIndex(where: { $0.contains(#""one""#) }) {
                packets.swapAt(index, index + 1)
            }
        case .twice: packets = packets.flatMap { $0.contains("three") ? [$0, $0] : [$0] }
        case .signatureGone:
            packets = packets.map { packet in
                guard packet.contains("three"), let at = packet.range(of: #","sig""#) else {
                    return packet
                }
                return packet[..<at.lowerBound]
                    + #","sig":"\#(String(repeating: "A", count: 86))"}"#
            }
        case .otherLog: packets = packets.flatMap { $0.contains("three") ? strange : [$0] }
        case .partialUnsigned:
            packets = packets.map { packet in
                guard packet.contains(#""fo""#), let at = packet.range(of: #","sig""#) else {
                    return packet
                }
                return packet[..<at.lowerBound] + "}"
            }
        case .partialChanged: change(#""fo""#, #""fo""#, #""fu""#)
        case .otherKey:
            let thief = VirtualRoom(signing: ToyCrypto("thief"), session: session)
            let victim = thief.guest(proving: ToyCrypto("thief"))
            thief.connect(victim)
            let record = payloads(victim.received).first { $0.contains(#""type":"log""#) }
            packets = packets.map { $0.contains(#""type":"log""#) ? record ?? "" : $0 }
        case .recordGone: packets.removeAll { $0.contains(#""type":"log""#) }
        case .headAhead: change(#""type":"head""#, #""seq":2"#, #""seq":3"#)
        case .headChanged: change(#""type":"head""#, #""live""#, #""ended""#)
        case .otherRun: change(#""type":"head""#, #""runs":[0]"#, #""runs":[0,0]"#)
        }
        return packets
    }

    @Test func guest_holdsNoMoreThanALimit_thatNobodySigns() {
        let room = room()
        let guest = room.guest(reconnects: false)
        room.connect(guest)
        let text = String(repeating: "x", count: 4_000)
        var frames: [UInt8] = []
        for seq in 1...300 {
            let chunk = LiveChunk(final: seq, line: "l", text: text, sentTimestamp: 1)
            frames += (try? FrameEncoder().frame(.liveChunk(chunk))) ?? []
        }
        room.tamper = { _ in frames }
        room.say("one")
        room.deliver()
        #expect(guest.texts.isEmpty)
        guard case .protocolViolation(let why)? = guest.outcome else {
            Issue.record("it holds all of it")
            return
        }
        #expect(why.contains("without a signature"))
    }

    // MARK: The log

    /// Whoever reads at any time stands behind a signed line, and the disk has the same.
    @Test func reader_endsBehindASignedLine_wheneverItReads() {
        for seed in 0..<UInt64(300) {
            var generator = SeededGenerator(seed: seed)
            let now = VirtualRoom.beginning
            let host = VirtualHost(writer.log(session, limit: 0, chunkSize: 4_096, now: now))
            if Bool.random(using: &generator) { host.log.add(.disk) }
            var last = true
            var reader = host.log.reader(after: 0)
            for step in 0..<200 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...2: host.publisher.publish(final: Caption(text: "\(step)"), now: now)
                case 3: host.publisher.publish(partial: Caption(text: "\(step)"), now: now)
                case 4: host.log.seal()
                case 5: _ = host.log.trim { _ in }
                case 6:
                    _ = host.log.feed(.disk, now: now) { bytes, _ in
                        Int.random(in: 0...bytes.count, using: &generator)
                    }
                default:
                    _ = reader.read(host.log, limit: 500) { item in
                        if case .final(_, let payload) = item {
                            last = SignedPayload(payload).isSigned
                        }
                        if case .partial(let payload) = item {
                            #expect(SignedPayload(payload).isSigned)
                        }
                    }
                    let isAtEnd = host.log.frames(at: reader.cursor).isEmpty
                    #expect(last || !isAtEnd, "seed \(seed), step \(step)")
                }
                #expect(host.log.brokenInvariant == nil, "seed \(seed), step \(step)")
            }
        }
    }

    /// Tens of thousands of short lines in one read of the input.
    @Test func longBatch_isSignedInBetween() {
        let host = VirtualHost(writer.log(session, now: VirtualRoom.beginning))
        let signed = SignedPayload.tailBytes
        var (waiting, most) = (0, 0)
        for _ in 0..<20_000 {
            host.publisher.publish(final: Caption(text: "a"), now: VirtualRoom.beginning)
        }
        host.log.seal()
        host.log.forEachPayload { _, payload in
            waiting = SignedPayload(payload).isSigned ? 0 : waiting + payload.count
            most = max(most, waiting)
        }
        #expect(most > 200_000 && most + signed < Limits.unprovenBytes)
    }
}
