import BeamscribeCore
import Testing

/// A log is read back for a host that goes on in it: what an export finds, the host has.
@Suite struct JournalRecoveryTests {
    private func log(_ numbers: some Sequence<Int>) throws -> [[UInt8]] {
        try numbers.map { try SampleLog.frame($0, "line \($0)") }
    }

    @Test func otherLines_areAllKept_whicheverBitOfOneIsDamaged() throws {
        let frames = try log(1...12)
        // The number of the very last line could not be told from one behind a gap.
        for damaged in [0, 1, 2, 8, 9, 10] {
            let kept = (1...12).filter { $0 != damaged + 1 }
            for place in frames[damaged].indices {
                for bit in 0..<8 {
                    var broken = frames
                    broken[damaged][place] ^= 1 << bit
                    let found = Recovered(broken.flatMap(\.self), pieces: 300)
                    #expect(
                        found.numbers.filter { $0 != damaged + 1 } == kept,
                        "bit \(bit) of byte \(place) of line \(damaged + 1)")
                }
            }
        }
    }

    @Test func host_hasWhatAnExportFinds_whateverIsBroken() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<3_000 {
            let log = try damagedLog(using: &generator)
            let survey = SampleLog.survey(log)
            let exported = SampleLog.lines(of: survey, in: log)
            let found = Recovered(log, pieces: Int.random(in: 40...600, using: &generator))
            #expect(found.lines == exported)
            #expect(found.recovery.gaps == survey.gaps)
            // New lines come behind what is there, or behind what is left of it.
            let isCut = Bool.random(using: &generator)
            let kept =
                isCut ? Array(log.prefix(Int(clamping: found.recovery.tail.lowerBound))) : log
            let transcript = found.recovery.transcript(logSize: UInt64(clamping: kept.count))
            #expect(transcript.brokenInvariant == nil)
            #expect(transcript.endOffset + transcript.unreadable == UInt64(clamping: kept.count))
            let next = transcript.lastSeq + 1
            let again = Recovered(try kept + SampleLog.frame(next, "new"), pieces: 262_144)
            #expect(again.lines == exported.merging([next: "new"]) { $1 }, "cut: \(isCut)")
        }
    }

    /// What a loss of power, a full disk or a bad block leaves of a log.
    private func damagedLog(using generator: inout SeededGenerator) throws -> [UInt8] {
        var log = try log(1...Int.random(in: 1...15, using: &generator)).flatMap(\.self)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0..<log.count, using: &generator)
            let end = min(log.count, place + Int.random(in: 1...150, using: &generator))
            switch Int.random(in: 0...4, using: &generator) {
            case 0: log[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: log[place..<end] = ArraySlice(repeating: 0, count: end - place)
            case 2: log.removeSubrange(place..<end)
            case 3: log.insert(contentsOf: log[place..<end], at: 0)
            default: log.removeLast(log.count - place)
            }
            if log.isEmpty { return log }
        }
        return log
    }

    @Test func number_isBelieved_whereTheNextLineGoesOnFromIt() throws {
        #expect(Recovered(try log([1, 2, 6, 7]).flatMap(\.self)).recovery.gaps == [3...5])
        #expect(Recovered(try log([1, 2, 6]).flatMap(\.self)).numbers == [1, 2, 6])
        #expect(Recovered(try log([4, 5]).flatMap(\.self)).recovery.gaps == [1...3])
        #expect(Recovered(try log([1, 2, 9, 4, 5]).flatMap(\.self)).numbers == [1, 2, 4, 5])
        #expect(Recovered(try log([1, 9, 3, 8, 5]).flatMap(\.self)).numbers == [1, 3, 5])
        let torn = try log([1, 9]).flatMap(\.self) + [0, 0, 0, 9] + log([3, 4]).flatMap(\.self)
        #expect(Recovered(torn).numbers == [1, 3, 4])
    }

    /// A log as a host finds it.
    private struct Recovered {
        var recovery = JournalRecovery(into: Transcript(limit: 1 << 20, chunkSize: 65_540))
        var numbers: [Int] = []
        var lines: [Int: String] = [:]

        init(_ log: [UInt8], pieces size: Int = 262_144) {
            let packets = PacketDecoder()
            var next: UInt64? = 0
            while let offset = next {
                next = Array(log.dropFirst(Int(clamping: offset)).prefix(size)).withUnsafeBytes {
                    piece in
                    recovery.read(piece, at: offset) { payload, seq in
                        numbers.append(seq)
                        guard case .liveChunk(let chunk)? = try? packets.packet(payload) else {
                            return
                        }
                        lines[seq] = chunk.text
                    }
                }
            }
        }
    }
}
