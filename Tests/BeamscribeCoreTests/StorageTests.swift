import BeamscribeCore
import FoundationEssentials
import Testing

/// A host session and a disk that is an array, which can be full, slow of memory or torn.
@Suite struct StorageTests {
    private struct DiskFull: Error, CustomStringConvertible {
        var description: String { "the disk is full" }
    }

    /// The file, and what the disk takes of each write; nil for nothing.
    private final class Disk {
        var bytes: [UInt8] = []
        var room: Int? = .max

        func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskFull) -> Int {
            guard let room, room > 0 else { throw DiskFull() }
            let count = min(room, new.count)
            let start = Int(offset)
            #expect(start <= bytes.count, "no holes")
            bytes.replaceSubrange(
                start..<min(bytes.count, start + count), with: new.prefix(count))
            if room != .max { self.room = room - count }
            return count
        }

        var lines: [Int] {
            var seqs: [Int] = []
            var reader = JournalReader()
            bytes.withUnsafeBytes { reader.read($0) { _, _, seq in seqs.append(seq) } }
            return seqs
        }
    }

    private let now = Moment(uptime: .seconds(50), wall: 1_800_000_000)

    private func session(_ transcript: Transcript = Transcript()) -> HostSession {
        var configuration = HostSession.Configuration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(), session: UUID())
        configuration.keepsLog = true
        return HostSession(configuration, transcript: transcript, seed: 1, now: now)
    }

    private func say(_ count: Int, _ session: HostSession, to disk: Disk) -> [HostEvent] {
        for _ in 0..<count {
            session.publish(final: Caption(text: "line", line: nil), now: now)
        }
        return store(session, to: disk) + reports(session.trim())
    }

    private func store(_ session: HostSession, to disk: Disk) -> [HostEvent] {
        reports(
            session.store(now: now) { bytes, offset throws(DiskFull) in
                try disk.write(bytes, at: offset)
            })
    }

    private func reports(_ actions: [HostSession.Action]) -> [HostEvent] {
        actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    @Test func lines_areInTheLog_onceStored() {
        let (session, disk) = (session(), Disk())
        #expect(say(3, session, to: disk) == [])
        #expect(disk.lines == [1, 2, 3])
        #expect(say(2, session, to: disk) == [])
        #expect(disk.lines == Array(1...5))
        #expect(session.storedSeq == 5)
    }

    @Test func failure_isToldOnce_andMadeUpForLater() {
        let (session, disk) = (session(), Disk())
        _ = say(2, session, to: disk)
        // The disk takes half a line more, and then nothing.
        disk.room = 30
        #expect(say(2, session, to: disk) == [.storageFailed("the disk is full")])
        #expect(say(2, session, to: disk) == [])
        #expect(session.storageIsFailing)
        #expect(disk.lines == [1, 2])
        disk.room = .max
        #expect(store(session, to: disk) == [.storageRestored(through: 6)])
        #expect(disk.lines == Array(1...6))
        #expect(!session.storageIsFailing)
    }

    @Test func linesThatWentFromMemory_areAGapInTheLog() {
        let transcript = Transcript(limit: 1_024, chunkSize: 512)
        let (session, disk) = (session(transcript), Disk())
        _ = say(3, session, to: disk)
        disk.room = 30
        var events: [HostEvent] = []
        for _ in 0..<20 { events += say(1, session, to: disk) }
        let gaps = events.compactMap { event -> ClosedRange<Int>? in
            if case .storageGap(let from, let through) = event { from...through } else { nil }
        }
        #expect(gaps.first?.lowerBound == 4)
        disk.room = .max
        _ = store(session, to: disk)
        let kept = transcript.firstSeq
        #expect(gaps.last?.upperBound == kept - 1)
        #expect(disk.lines == [1, 2, 3] + Array(kept...23))
    }

    @Test func lines_areWrittenAgain_whenTheDiskLostThem() {
        let (session, disk) = (session(), Disk())
        _ = say(2, session, to: disk)
        if let cursor = session.unsynchronized { session.synchronized(cursor) }
        #expect(session.unsynchronized == nil)
        let synchronized = disk.bytes.count
        _ = say(2, session, to: disk)
        #expect(session.unsynchronized != nil)
        // What the disk did not confirm is gone.
        disk.bytes.replaceSubrange(
            synchronized..., with: [UInt8](repeating: 0, count: disk.bytes.count - synchronized))
        #expect(
            reports(session.storageFailed("no power", now: now)) == [.storageFailed("no power")])
        #expect(store(session, to: disk) == [.storageRestored(through: 4)])
        #expect(disk.lines == [1, 2, 3, 4])
    }

    @Test func sessionWithoutLog_handsNothingOver() {
        let session = HostSession(
            HostSession.Configuration(
                eventName: "Town Hall", deviceName: "stage", deviceID: UUID(), session: UUID()),
            transcript: Transcript(), seed: 1, now: now)
        let disk = Disk()
        #expect(say(3, session, to: disk) == [])
        #expect(disk.bytes == [])
        #expect(session.unsynchronized == nil)
    }
}
