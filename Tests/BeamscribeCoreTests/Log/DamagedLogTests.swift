import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// A held log whose file is damaged in the middle: what is intact and can be proven is served, and
/// what is missing is named.
@Suite struct DamagedLogTests {
    private let writer = ToyCrypto()
    private let session = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!

    /// What a holder has on its disk.
    private struct Kept {
        let room: VirtualRoom
        var record: SessionRecord
        var frames: [[UInt8]] = []
        var notes: [UInt8] = []
        var texts: [String] = []

        var file: [UInt8] { frames.flatMap(\.self) }

        /// Where each line begins in the file.
        var starts: [Int] {
            frames.indices.map { frames[..<$0].reduce(0) { $0 + $1.count } }
        }
    }

    /// - Parameter batches: how many lines each batch has, of which the last one is signed.
    private func keep(_ batches: [Int]) throws -> Kept {
        let room = VirtualRoom(signing: writer, session: session)
        let replica = Replica()
        let keeper = room.guest("keeper", keeping: replica)
        room.connect(keeper)
        let (log, event) = (try #require(replica.log), try #require(keeper.joined))
        var kept = Kept(
            room: room,
            record: try #require(SessionRecord(holding: log, of: event, at: nil, now: 1)))
        _ = kept.record.note(log, through: 0)
        var number = 0
        for count in batches {
            for _ in 0..<count {
                number += 1
                room.host.publisher.publish(final: Caption(text: "line \(number)"), now: room.now)
            }
            room.host.log.seal()
        }
        room.pass(seconds: 5)
        log.forEachPayload { kept.frames.append(FrameEncoder.frame($1)) }
        log.forEachFinal(from: 1) { kept.texts.append($1.text) }
        _ = kept.record.note(log, through: log.lastSeq)
        var checkpoints = CheckpointWriter(after: 0)
        checkpoints.write(of: log, through: log.lastSeq) { kept.notes += $0 }
        return kept
    }

    private func recover(
        _ file: [UInt8], _ kept: Kept, notes: [UInt8]? = nil, piece: Int = 1_000
    ) throws -> (held: HeldLog, end: Int) {
        let notes = ChainCheckpoints(notes ?? kept.notes)
        var recovery = try #require(
            HeldRecovery(of: kept.record, chunkSize: 4_096, notes: { notes }, by: writer))
        var next: UInt64? = 0
        while let offset = next {
            let bytes = file.dropFirst(Int(clamping: offset)).prefix(piece)
            next = bytes.withUnsafeBytes { recovery.read($0, at: offset) }
        }
        let end = Int(clamping: recovery.end)
        return (recovery.log(heldBy: "here", now: VirtualRoom.beginning), end)
    }

    private func lines(of held: HeldLog) -> [Int: String] {
        var lines: [Int: String] = [:]
        held.log.forEachFinal(from: 1) { lines[$0] = $1.text }
        return lines
    }

    /// Whether it has these lines and no others, each as its writer has said it.
    private func expect(
        _ numbers: [Int], in held: HeldLog, of kept: Kept, _ comment: Comment? = nil
    ) {
        let due = Dictionary(uniqueKeysWithValues: numbers.map { ($0, kept.texts[$0 - 1]) })
        #expect(lines(of: held) == due, comment)
        #expect(held.log.brokenInvariant == nil, comment)
    }

    private func all(_ kept: Kept, but lost: Int...) -> [Int] {
        (1...kept.texts.count).filter { !lost.contains($0) }
    }

    private func flipped(_ kept: Kept, _ lines: Int..., byte: Int = 60) -> [UInt8] {
        var file = kept.file
        for line in lines { file[kept.starts[line - 1] + byte] ^= 4 }
        return file
    }

    /// What somebody reads of it who believes the writer alone.
    private func read(_ held: HeldLog, for seconds: Int = 15) -> VirtualGuest {
        let room = VirtualRoom(serving: held.log, proving: ToyCrypto("holder").security)
        let guest = room.guest(of: writer)
        room.connect(guest)
        room.pass(seconds: seconds)
        return guest
    }

    private func gaps(told guest: VirtualGuest) -> [ClosedRange<Int>] {
        guest.events.compactMap {
            if case .gap(let from, let through) = $0 { from...through } else { nil }
        }
    }

    // MARK: One place

    /// Wherever one bit is damaged, no line but that one is lost.
    @Test(arguments: [150, 10_000])
    func allOtherLines_areServed_whereverOneBitIsDamaged(_ piece: Int) throws {
        let kept = try keep(Array(repeating: 1, count: 8))
        let starts = kept.starts
        for place in kept.file.indices {
            var file = kept.file
            file[place] ^= [1, 8, 32][place % 3]
            let damaged = (starts.lastIndex { $0 <= place } ?? 0) + 1
            let (held, end) = try recover(file, kept, piece: piece)
            let found = lines(of: held)
            let isSpelledAnew = found.count == kept.texts.count
            if !isSpelledAnew {
                expect(all(kept, but: damaged), in: held, of: kept, "byte \(place)")
            }
            #expect(isSpelledAnew || held.damaged == (damaged < 8 ? [damaged...damaged] : []))
            #expect(end == (damaged < 8 || isSpelledAnew ? file.count : starts[7]))
        }
    }

    @Test func reader_getsAllOthers_andIsToldOfTheGap() throws {
        let kept = try keep(Array(repeating: 1, count: 40))
        let (held, _) = try recover(flipped(kept, 20), kept)
        #expect(held.damaged == [20...20] && held.log.lastSeq == 40)
        let reader = read(held)
        #expect(reader.texts == all(kept, but: 20).map { kept.texts[$0 - 1] })
        #expect(gaps(told: reader) == [20...20] && reader.outcome == nil)
    }

    /// The chain goes on behind it, and needs nothing that was noted.
    @Test func damagedSignature_costsItsLineAlone_withoutNotes() throws {
        let kept = try keep(Array(repeating: 1, count: 10))
        var file = kept.file
        file[kept.starts[5] - 40] ^= 1
        let (held, _) = try recover(file, kept, notes: [])
        expect(all(kept, but: 5), in: held, of: kept)
    }

    /// Of a batch only the last line is signed: what comes before the damage in it is proven by
    /// nobody any more.
    @Test func batch_isLostUpToTheDamage_andServedBehindIt() throws {
        let kept = try keep([3, 5, 3])
        let (held, _) = try recover(flipped(kept, 6), kept)
        expect([1, 2, 3, 7, 8, 9, 10, 11], in: held, of: kept)
        #expect(held.damaged == [4...6])
    }

    @Test func severalPlaces_costTheirLinesAlone() throws {
        let kept = try keep(Array(repeating: 1, count: 60))
        var file = flipped(kept, 1, 20, 21, 40)
        let (held, _) = try recover(file, kept)
        expect(all(kept, but: 1, 20, 21, 40), in: held, of: kept)
        #expect(held.damaged == [1...1, 20...21, 40...40])
        // Bytes of a whole stretch are gone, and strange ones are between.
        let starts = kept.starts
        file.replaceSubrange(starts[29]..<starts[35], with: Array(repeating: 0, count: 77))
        let (other, _) = try recover(file, kept)
        expect(
            all(kept, but: 1, 20, 21, 30, 31, 32, 33, 34, 35, 40), in: other, of: kept)
    }

    @Test func tornTail_isLeftOut_alsoBehindDamage() throws {
        let kept = try keep(Array(repeating: 1, count: 30))
        let file = Array(flipped(kept, 10).prefix(kept.starts[29] + 33))
        let (held, end) = try recover(file, kept)
        expect(all(kept, but: 10, 30), in: held, of: kept)
        #expect(end == kept.starts[29])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func whateverIsServed_isTheWriters_andAllOfItThatCanBe(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sizes = (0..<20).map { _ in
            Bool.random(using: &generator) ? 1 : Int.random(in: 1...4, using: &generator)
        }
        let kept = try keep(sizes)
        var file = kept.file
        var hit: Set<Int> = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: file.indices, using: &generator)
            file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            hit.insert((kept.starts.lastIndex { $0 <= place } ?? 0) + 1)
        }
        let (held, _) = try recover(
            file, kept, piece: Int.random(in: 40...3_000, using: &generator))
        let found = lines(of: held)
        for (seq, text) in found { #expect(text == kept.texts[seq - 1], "line \(seq)") }
        // Lines are lost only from a damaged one back to the signature before it, or at the very
        // end.
        var (first, due): (Int, Set<Int>) = (1, [])
        for size in sizes {
            let batch = first..<first + size
            let last = batch.filter { hit.contains($0) }.max()
            for seq in batch where last.map({ seq > $0 }) ?? true { due.insert(seq) }
            first += size
        }
        #expect(due.subtracting(found.keys) == [], "of \(hit)")
        #expect(held.log.brokenInvariant == nil)
    }

    // MARK: Notes

    @Test func whatTheHeadCounts_isProvenWithoutNotes() throws {
        let kept = try keep(Array(repeating: 1, count: 20))
        // The head counts all; two more lines came behind it.
        var more = try keep(Array(repeating: 1, count: 22))
        more.record = kept.record
        guard more.frames.prefix(20).elementsEqual(kept.frames) else { return }
        let (held, _) = try recover(flipped(more, 10), more, notes: [])
        expect(Array(1...9) + [21, 22], in: held, of: more)
    }

    /// A holder that is started again reads its damaged log as its readers do.
    @Test(arguments: [1...1, 1...3, 5...6])
    func reader_isToldOfTheGap_inWhatWasKept(_ damaged: ClosedRange<Int>) throws {
        let kept = try keep(Array(repeating: 1, count: 12))
        var file = kept.file
        for line in damaged { file[kept.starts[line - 1] + 60] ^= 4 }
        let (held, _) = try recover(file, kept)
        let again = kept.room.guest("again", keeping: Replica(of: held))
        let told = again.session.takeUpKept(lines: true, now: kept.room.now).compactMap {
            if case .report(let event) = $0 { event } else { nil }
        }
        #expect(
            told.contains(.gap(from: damaged.lowerBound, through: damaged.upperBound)))
        #expect(told.count { if case .line = $0 { true } else { false } } == 12 - damaged.count)
    }

    /// Without notes nobody can prove what is behind the damage. What is before it is served, by an
    /// older word of the writer's.
    @Test func linesBeforeTheDamage_areServed_whereNothingWasNoted() throws {
        let kept = try keep(Array(repeating: 1, count: 40))
        let (held, end) = try recover(flipped(kept, 20), kept, notes: [])
        expect(Array(1...19), in: held, of: kept)
        #expect(end == kept.starts[19] && held.damaged == [])
        let reader = read(held)
        #expect(reader.texts == Array(kept.texts.prefix(19)) && reader.outcome == nil)
        #expect(gaps(told: reader) == [])
    }

    /// The rest comes from whoever has it.
    @Test func linesBehindTheDamage_follow_onceTheHostIsBack() throws {
        let kept = try keep(Array(repeating: 1, count: 40))
        let (held, _) = try recover(flipped(kept, 20), kept, notes: [])
        let again = kept.room.guest("again", keeping: Replica(of: held))
        kept.room.connect(again)
        #expect(again.texts == Array(kept.texts.dropFirst(19)))
        #expect(read(held).texts == kept.texts)
    }

    @Test func lyingNotes_costNothingButTheirUse() throws {
        let kept = try keep(Array(repeating: 1, count: 30) + [4, 4])
        let file = flipped(kept, 15)
        let good = try lines(of: recover(file, kept).held)
        #expect(good.count == kept.texts.count - 1)
        let without = try lines(of: recover(file, kept, notes: []).held)
        var lies = kept.notes
        for index in lies.indices where index % 40 >= 8 { lies[index] ^= 0x55 }
        #expect(try lines(of: recover(file, kept, notes: lies).held) == without)
        // Of several notes of one line the right one counts, wherever it is.
        #expect(try lines(of: recover(file, kept, notes: lies + kept.notes).held) == good)
        #expect(try lines(of: recover(file, kept, notes: kept.notes + lies).held) == good)
        // What is whole needs no notes, and is hurt by none.
        #expect(try recover(kept.file, kept, notes: lies).held.log.lastSeq == kept.texts.count)
    }

    @Test func tornNotes_countAsFarAsTheyGo() throws {
        let kept = try keep(Array(repeating: 1, count: 30))
        for count in stride(from: 0, through: kept.notes.count, by: 7) {
            let noted = count / ChainCheckpoints.size
            let (held, _) = try recover(
                flipped(kept, 15), kept, notes: Array(kept.notes.prefix(count)))
            expect(
                noted >= 15 ? all(kept, but: 15) : Array(1...14), in: held, of: kept, "\(count)")
        }
    }

    @Test func notes_areThoseOfTheLog_whateverWasNotedBefore() throws {
        let kept = try keep([1, 2, 3, 4])
        let log = kept.room.host.log
        for first in 0...10 {
            var writer = CheckpointWriter(after: first)
            var notes: [UInt8] = []
            writer.write(of: log, through: min(7, log.lastSeq)) { notes += $0 }
            writer.write(of: log, through: log.lastSeq) { notes += $0 }
            #expect(notes == Array(kept.notes.dropFirst(40 * first)))
            writer.write(of: log, through: log.lastSeq) { _ in
                Issue.record("a line is noted twice")
            }
        }
        #expect(ChainCheckpoints.lastSeq(of: kept.notes) == 10)
        #expect(ChainCheckpoints.lastSeq(of: []) == 0)
    }

    @Test func notes_thatCannotBe_countForNothing() throws {
        let kept = try keep(Array(repeating: 1, count: 6))
        var wild: [UInt8] = []
        for number in [0, UInt64(1) << 53, .max, .max / 2, 3] {
            wild += withUnsafeBytes(of: number.bigEndian) { Array($0) }
            wild += Array(repeating: UInt8(truncatingIfNeeded: number), count: 32)
        }
        let (held, _) = try recover(flipped(kept, 3), kept, notes: wild + kept.notes + wild)
        expect(all(kept, but: 3), in: held, of: kept)
    }
}
