import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// A signed log is read back for a host that goes on in it: a disk may give back other bytes.
@Suite struct SignedJournalTests {
    private let writer = ToyCrypto()
    private let session = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!
    private let now = Moment(uptime: .zero, wall: 1_000)

    private func emptyTranscript() -> Transcript {
        Transcript(hashing: LineChain(of: session, by: writer))
    }

    /// The frames of a log of two runs, of whose lines every other one is signed.
    private func frames(_ runs: SessionRuns) -> [[UInt8]] {
        let transcript = emptyTranscript()
        say(SessionRuns(), into: transcript)
        let log = say(runs, into: transcript)
        var frames: [[UInt8]] = []
        log.forEachPayload { frames.append(FrameEncoder.frame($1)) }
        return frames
    }

    @discardableResult
    private func say(_ runs: SessionRuns, into transcript: Transcript) -> EventLog {
        let log = writer.log(session, runs, now: now, holding: transcript)
        for _ in 0..<4 {
            let seq = log.lastSeq + 1
            _ = log.append(LiveChunk(final: seq, line: "l", text: "a word", sentTimestamp: 1))
            if seq % 2 == 0 { log.seal() }
        }
        return log
    }

    private var runs: SessionRuns {
        var runs = SessionRuns()
        runs.begin(after: 4)
        return runs
    }

    private func recovery(of frames: [[UInt8]]) -> JournalRecovery {
        var recovery = JournalRecovery(into: emptyTranscript())
        let log = frames.flatMap(\.self)
        var next: UInt64? = 0
        while let offset = next {
            next = log.dropFirst(Int(clamping: offset)).withUnsafeBytes {
                recovery.read($0, at: offset)
            }
        }
        return recovery
    }

    private func isProven(_ frames: [[UInt8]], in runs: SessionRuns? = nil) -> Bool {
        let verifier = writer.verifier(of: writer.publicKey)!
        return recovery(of: frames).isSigned(by: verifier, in: runs ?? self.runs)
    }

    @Test func log_isProven_whereItIsWhatWasSigned() {
        let frames = frames(runs)
        #expect(isProven(frames))
        // The signature behind it was cut off with its line.
        #expect(isProven(frames.dropLast()))
        #expect(isProven([]) && isProven([frames[0]]))
    }

    @Test func log_isNotProven_byAnotherWriterOrRun() {
        let other = ToyCrypto("another").verifier(of: Array("another".utf8))!
        #expect(!recovery(of: frames(runs)).isSigned(by: other, in: runs))
        #expect(!isProven(frames(runs), in: SessionRuns()))
    }

    /// One bit, wherever it is. What is no line any more is told as a gap, and is not looked at here.
    @Test func log_isNotProven_whereALineIsAnotherNow() {
        let frames = frames(runs)
        var found = 0
        for line in frames.indices {
            for place in FrameDecoder.prefixLength..<frames[line].count {
                // A letter's case, and two that make another letter of it, or none.
                for bit in [0, 3, 5] {
                    var broken = frames
                    broken[line][place] ^= 1 << bit
                    let log = recovery(of: broken)
                    guard log.gaps.isEmpty, log.tail.isEmpty,
                        !isUnnoticed(broken[line], for: frames[line], isNewest: line == 7)
                    else { continue }
                    found += 1
                    #expect(!isProven(broken), "bit \(bit) of byte \(place) of line \(line + 1)")
                }
            }
        }
        #expect(found > 500)
    }

    /// A signature before the newest that is another one now is found by those only who stop there; and
    /// where the newest is none any more, its line could be one that was never signed.
    private func isUnnoticed(_ frame: [UInt8], for whole: [UInt8], isNewest: Bool) -> Bool {
        frame.withUnsafeBytes { frame in
            whole.withUnsafeBytes { whole in
                let (read, old) = (Self.payload(frame), Self.payload(whole))
                if isNewest { return !read.isSigned }
                return read.signature != nil && read.body.elementsEqual(old.body)
            }
        }
    }

    private static func payload(_ frame: UnsafeRawBufferPointer) -> SignedPayload {
        SignedPayload(UnsafeRawBufferPointer(rebasing: frame[FrameDecoder.prefixLength...]))
    }
}
