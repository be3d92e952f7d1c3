import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// A held log is kept on a disk and read back: what its writer has not signed is nobody's word, wherever
/// it comes from.
@Suite struct KeptLogTests {
    private let writer = ToyCrypto()
    private let session = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!

    /// What a holder of `room` has on its disk.
    private struct Kept {
        let room: VirtualRoom
        let replica: Replica
        let keeper: VirtualGuest
        var record: SessionRecord
        var file: [UInt8] = []
        /// Where each line ends in the file.
        var ends: [Int] = []
        var texts: [String] = []

        init(_ room: VirtualRoom) throws {
            self.room = room
            replica = Replica()
            keeper = room.guest("keeper", keeping: replica)
            room.connect(keeper)
            let (log, event) = (try #require(replica.log), try #require(keeper.joined))
            record = try #require(SessionRecord(holding: log, of: event, at: nil, now: 1))
        }

        /// Everything that came is on the disk.
        mutating func store() throws {
            room.deliver()
            let log = try #require(replica.log)
            (file, ends, texts) = ([], [], [])
            log.forEachPayload { _, payload in
                file += FrameEncoder.frame(payload)
                ends.append(file.count)
            }
            log.forEachFinal(from: 1) { texts.append($1.text) }
            _ = record.note(log, through: log.lastSeq)
        }
    }

    /// Batches of one line and of several.
    private func kept(_ batches: Int = 4) throws -> Kept {
        let room = VirtualRoom(signing: writer, session: session)
        var kept = try Kept(room)
        for batch in 1...batches {
            if batch.isMultiple(of: 2) { room.say("\(batch) first", "\(batch) second") }
            room.say("\(batch) last")
        }
        try kept.store()
        // The head that is kept is older than the newest lines.
        room.say("after the head")
        let record = kept.record
        try kept.store()
        kept.record = record
        return kept
    }

    private func recover(
        _ file: [UInt8], _ record: SessionRecord, piece: Int = 100, limit: Int = Limits.history
    ) -> (held: HeldLog, end: Int)? {
        guard var recovery = HeldRecovery(of: record, limit: limit, chunkSize: 4_096, by: writer)
        else { return nil }
        var next: UInt64? = 0
        while let offset = next {
            let bytes = file.dropFirst(Int(clamping: offset)).prefix(piece)
            next = bytes.withUnsafeBytes { recovery.read($0, at: offset) }
        }
        let end = Int(clamping: recovery.end)
        return (recovery.log(heldBy: "here", now: VirtualRoom.beginning), end)
    }

    private func texts(of held: HeldLog) -> [String] {
        var texts: [String] = []
        held.log.forEachFinal(from: 1) { texts.append($1.text) }
        return texts
    }

    /// What a reader gets of it who believes the writer alone.
    /// - Parameter seconds: of one holder's gap a reader is only sure after some.
    private func read(_ held: HeldLog, for seconds: Int = 0) -> VirtualGuest {
        let room = VirtualRoom(serving: held.log, proving: ToyCrypto("holder").security)
        let guest = room.guest(of: writer)
        room.connect(guest)
        room.pass(seconds: seconds)
        return guest
    }

    // MARK: Whole

    @Test(arguments: [1, 7, 100, 10_000])
    func log_isServedAgain_asItWasKept(_ piece: Int) throws {
        let kept = try kept()
        let (held, end) = try #require(recover(kept.file, kept.record, piece: piece))
        #expect(texts(of: held) == kept.texts && end == kept.file.count)
        #expect(held.event.eventName == "Town Hall" && held.event.deviceName == "stage")
        #expect(held.event.holder == "here" && held.event.key == writer.security.fingerprint)
        #expect(!held.isOver && held.log.brokenInvariant == nil)
        let reader = read(held)
        #expect(reader.texts == kept.texts && reader.outcome == nil)
    }

    /// Only what is new crosses the network again.
    @Test func holder_readsOn_behindItsLastLine() throws {
        let kept = try kept()
        let (held, _) = try #require(recover(kept.file, kept.record))
        let replica = Replica(of: held)
        let again = kept.room.guest("again", keeping: replica)
        kept.room.say("meanwhile")
        #expect(again.session.position?.after == kept.texts.count)
        kept.room.connect(again)
        #expect(again.texts == ["meanwhile"] && replica.log === held.log)
        #expect(read(held).texts == kept.texts + ["meanwhile"])
    }

    /// A host that nobody has met in this program is looked for, and not lost.
    @Test func holder_looksForAHost_untilOneHasAnswered() throws {
        let kept = try kept(2)
        let (held, _) = try #require(recover(kept.file, kept.record))
        let again = kept.room.guest("again", keeping: Replica(of: held))
        _ = again.session.takeUpKept(lines: false, now: kept.room.now)
        again.canConnect = false
        kept.room.connect(again)
        kept.room.pass(seconds: 10)
        #expect(again.states.allSatisfy { [.searching, .connecting].contains($0) })
        again.canConnect = true
        kept.room.pass(seconds: 30)
        #expect(again.states.contains(.live) && again.joined?.isKept == false)
        kept.room.cut(again)
        guard case .reconnecting? = again.states.last else {
            Issue.record("\(again.states)")
            return
        }
    }

    /// What its writer has withdrawn is so for whoever was not there.
    @Test func holder_lacksWhatTheHostHasLost_whileItWasAway() throws {
        let kept = try kept()
        let transcript = Transcript(hashing: LineChain(of: session, by: writer))
        kept.room.host.log.forEachPayload(through: 3) { transcript.restore(payload: $1, seq: $0) }
        let log = writer.log(
            session, SessionRuns(after: [0, 3])!, now: kept.room.now, holding: transcript)
        let room = VirtualRoom(serving: log, proving: writer.security)
        room.say("other")
        let (held, _) = try #require(recover(kept.file, kept.record))
        let replica = Replica(of: held)
        let again = room.guest(keeping: replica)
        room.connect(again)
        #expect(again.events.contains(.withdrawn(from: 4, through: kept.texts.count)))
        var served: [String] = []
        replica.log?.forEachFinal(from: 1) { served.append($1.text) }
        #expect(served == kept.texts.prefix(3) + ["other"])
    }

    @Test func reader_isGivenWhatWasKept_fromWhereItWants() throws {
        let kept = try kept()
        for (start, from) in [(GuestSession.Start.beginning, 1), (.line(3), 3), (.next, 100)] {
            let (held, _) = try #require(recover(kept.file, kept.record))
            let guest = kept.room.guest(start: start, keeping: Replica(of: held))
            let actions = guest.session.takeUpKept(lines: true, now: kept.room.now)
            let lines = actions.compactMap {
                if case .report(.line(let line)) = $0 { line.text } else { nil }
            }
            #expect(lines == Array(kept.texts.dropFirst(from - 1)))
            #expect(guest.session.takeUpKept(lines: false, now: kept.room.now).count == 1)
        }
    }

    /// A file of the reader's has the first lines already, some of which the host has withdrawn.
    @Test func reader_isGivenWhatItsFileLacks() throws {
        let kept = try kept()
        let (held, _) = try #require(recover(kept.file, kept.record))
        let resume = Handshake.Resume(session: session.wireName, after: 4, run: 1)
        let guest = kept.room.guest(keeping: Replica(of: held), resuming: resume)
        let actions = guest.session.takeUpKept(lines: true, now: kept.room.now)
        let lines = actions.compactMap {
            if case .report(.line(let line)) = $0 { line.seq } else { nil }
        }
        #expect(lines == Array(5...kept.texts.count))
    }

    @Test func newestLinesStay_whereMemoryIsSmall() throws {
        let kept = try kept(200)
        let (held, end) = try #require(recover(kept.file, kept.record, limit: 8_192))
        #expect(held.log.firstSeq > 1 && held.log.lastSeq == kept.texts.count)
        #expect(end == kept.file.count && read(held, for: 12).texts.last == kept.texts.last)
    }

    // MARK: Torn and damaged

    /// What was read back of a damaged file. A reader gets nothing else: of those that are equal one
    /// need be read.
    private struct Found: Hashable {
        let end: Int
        let hash: LogHash
        private(set) var file: [UInt8] = []

        init(_ recovered: (held: HeldLog, end: Int)) {
            (end, hash) = (recovered.end, recovered.held.hash)
            recovered.held.log.forEachPayload { file += FrameEncoder.frame($1) }
        }
    }

    /// What there is up to each signature, the shortest first: all that a tear can leave.
    private func proven(_ kept: Kept) throws -> [Found] {
        let signed = kept.ends.indices.filter { !kept.texts[$0].hasSuffix("first") }
        return try ([(0, 0)] + signed.map { ($0 + 1, kept.ends[$0]) }).map { lines, end in
            let recovered = try #require(recover(Array(kept.file.prefix(end)), kept.record))
            #expect(texts(of: recovered.held) == Array(kept.texts.prefix(lines)))
            let found = Found(recovered)
            #expect(found.file == Array(kept.file.prefix(end)) && found.end == end)
            return found
        }
    }

    /// Wherever a crash has torn it, what is there up to a proof is served.
    @Test func log_isProvenUpToItsLastSignature_whereverItIsTorn() throws {
        let kept = try kept(2)
        let proven = try proven(kept)
        for cut in 0...kept.file.count {
            let recovered = try #require(recover(Array(kept.file.prefix(cut)), kept.record))
            #expect(Found(recovered) == proven.last { $0.end <= cut }, "cut at \(cut)")
        }
    }

    /// One bit, wherever it is, in pieces of two sizes.
    @Test func nothingIsServed_thatIsNotTheWritersWord_whateverIsDamaged() throws {
        let kept = try kept(2)
        let proven = try proven(kept)
        var (read, lost): (Set<Found>, Int) = ([], 0)
        for place in kept.file.indices {
            // What comes before the damage is not lost with it.
            let least = try #require(proven.last { $0.end <= place }).end
            for bit in [0, 3, 5] {
                var file = kept.file
                file[place] ^= 1 << bit
                let piece = place.isMultiple(of: 2) ? 150 : 10_000
                let recovered = try #require(recover(file, kept.record, piece: piece))
                let found = Found(recovered)
                #expect(proven.contains { $0.hash == found.hash })
                #expect(found.end >= least, "byte \(place)")
                if found.end < kept.file.count { lost += 1 }
                // A signature can be spelled in several ways.
                guard read.insert(found).inserted else { continue }
                expectWritersWord(recovered.held, of: kept, "byte \(place)")
            }
        }
        #expect(lost > 0 && read.count > proven.count)
    }

    /// Nothing else is there, and nothing else is read there.
    private func expectWritersWord(_ held: HeldLog, of kept: Kept, _ place: Comment) {
        held.log.forEachFinal(from: 1) { #expect($1.text == kept.texts[$0 - 1], place) }
        #expect(held.log.brokenInvariant == nil, place)
        let texts = texts(of: held)
        let reader = read(held)
        #expect(reader.texts == Array(texts.prefix(reader.texts.count)), place)
    }

    /// Frames that are whole, in another order, twice, or of another writer's log.
    @Test func nothingIsServed_thatIsInAnotherPlace() throws {
        let kept = try kept()
        var start = 0
        let frames = kept.ends.map { end in
            defer { start = end }
            return Array(kept.file[start..<end])
        }
        for index in frames.indices.dropLast() {
            for wrong in [
                frames[..<index] + frames[(index + 1)...],
                frames[...index] + frames[index...],
                frames[..<index] + [frames[index + 1], frames[index]] + frames[(index + 2)...],
            ] {
                let (held, _) = try #require(recover(wrong.flatMap(\.self), kept.record))
                expectWritersWord(held, of: kept, "line \(index + 1)")
            }
        }
        let other = VirtualRoom(signing: ToyCrypto("another"), session: session)
        var theirs = try Kept(other)
        other.say("not ours")
        try theirs.store()
        #expect(try #require(recover(theirs.file, kept.record)).end == 0)
        theirs.record.writer = kept.record.writer
        #expect(recover(theirs.file, theirs.record) == nil)
    }

    @Test func nothingIsServed_whereTheRecordIsNotTheWriters() throws {
        let kept = try kept()
        let payload = try #require(kept.record.held).log
        for place in payload.indices {
            var record = kept.record
            record.held?.log[place] ^= 1
            // What is cut from its end is a signature, and no word of the log is proven without.
            #expect(recover(kept.file, record) == nil, "byte \(place)")
        }
        var another = kept.record
        another.session = UUID().wireName
        #expect(recover(kept.file, another) == nil)
        another = kept.record
        another.held = nil
        #expect(recover(kept.file, another) == nil)
    }

    /// How the log stood is not told where that is not the writer's word; its lines are.
    @Test func headCountsForNothing_whereItIsDamaged() throws {
        let kept = try kept()
        let payload = try #require(kept.record.held?.head)
        var read: Set<Found> = []
        for place in payload.indices {
            var record = kept.record
            record.held?.head?[place] ^= 1
            let recovered = try #require(recover(kept.file, record))
            #expect(recovered.held.newest == nil, "byte \(place)")
            guard read.insert(Found(recovered)).inserted else { continue }
            #expect(texts(of: recovered.held) == kept.texts, "byte \(place)")
            // An older word of the writer's does for readers; without one nothing is given out.
            #expect(self.read(recovered.held).texts == kept.texts, "byte \(place)")
            record.held?.first = nil
            let without = try #require(recover(kept.file, record))
            #expect(self.read(without.held).texts.isEmpty, "byte \(place)")
        }
        #expect(read.count == 1)
    }

    @Test func linesOfAnotherRun_areNotServed() throws {
        let kept = try kept()
        var record = kept.record
        record.begin(at: 2, after: 2, offset: nil)
        let (held, _) = try #require(recover(kept.file, record))
        #expect(held.log.lastSeq <= 2 && held.newest == nil)
    }

    // MARK: Gaps

    @Test func log_isServedAgain_behindLinesThatNeverCame() throws {
        let room = VirtualRoom(signing: writer, session: session, limit: 0, chunkSize: 4_096)
        var kept = try Kept(room)
        room.say("line 1")
        room.deliver()
        kept.keeper.isFrozen = true
        for number in 2...200 { room.say("line \(number)") }
        kept.keeper.isFrozen = false
        try kept.store()
        let first = room.host.log.firstSeq
        #expect(kept.record.held?.joints?.map(\.after) == [first - 1])
        let (held, end) = try #require(recover(kept.file, kept.record))
        #expect(texts(of: held) == kept.texts && end == kept.file.count)
        #expect(read(held, for: 12).texts == kept.texts)
        #expect(held.log.joints == kept.record.held?.joints)
        kept.record.held?.joints = nil
        #expect(try texts(of: #require(recover(kept.file, kept.record)).held) == ["line 1"])
        kept.record.held?.joints = [
            LineJoint(after: first - 1, hash: String(repeating: "0", count: 64))
        ]
        #expect(try texts(of: #require(recover(kept.file, kept.record)).held) == ["line 1"])
    }

    // MARK: The record

    @Test func record_hasTheHeadOnce_andNoneOfLinesThatTheDiskLacks() throws {
        let room = VirtualRoom(signing: writer, session: session)
        var kept = try Kept(room)
        room.say("one", "two")
        room.pass(seconds: 5)
        let log = try #require(kept.replica.log)
        var behind = kept.record
        let isNewsEarly = behind.note(log, through: 1)
        #expect(isNewsEarly && behind.held?.head == nil, "the first of a run is kept")
        #expect(behind.held?.first != nil)
        let isNews = behind.note(log, through: 2)
        #expect(isNews && behind.held?.head != nil)
        room.pass(seconds: 5)
        let isNewsAgain = behind.note(log, through: 2)
        #expect(!isNewsAgain, "that the writer is still there is no news")
        room.finish(.ended)
        room.deliver()
        try kept.store()
        #expect(kept.record.state == .ended)
        let json = try #require(SessionRecord(json: kept.record.json))
        #expect(json == kept.record)
        #expect(try #require(recover(kept.file, json)).held.isOver)
    }
}
