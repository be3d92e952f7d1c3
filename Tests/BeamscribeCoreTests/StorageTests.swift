import BeamscribeCore
import FoundationEssentials
import Testing

/// An event and a disk that is an array, which can be full, slow of memory or torn.
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
            let start = Int(clamping: offset)
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

    private func host(_ transcript: Transcript = Transcript()) -> VirtualHost {
        let host = VirtualHost(transcript, now: now)
        host.log.add(.disk)
        return host
    }

    private func say(_ count: Int, _ host: VirtualHost, to disk: Disk) -> [HostEvent] {
        for _ in 0..<count {
            host.publisher.publish(final: Caption(text: "line", line: nil), now: now)
        }
        return store(host, to: disk) + reports(host.room.trim())
    }

    private func store(_ host: VirtualHost, to disk: Disk) -> [HostEvent] {
        host.log.feed(.disk, now: now) { bytes, offset throws(DiskFull) in
            try disk.write(bytes, at: offset)
        }
    }

    private func reports(_ actions: [Room.Action]) -> [HostEvent] {
        actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    // MARK: A damaged log

    /// Ten lines on the disk, of which the third has a bad byte, and the host that goes on.
    private func resumed(_ disk: Disk) -> VirtualHost {
        _ = say(10, host(), to: disk)
        var reader = JournalReader()
        var ends: [Int] = []
        disk.bytes.withUnsafeBytes { bytes in
            reader.read(bytes) { payload, _, _ in ends.append(payload.count) }
        }
        disk.bytes[ends[..<2].reduce(0) { $0 + $1 + 4 } + 30] = 0xFF
        return resumed(on: disk)
    }

    private func resumed(on disk: Disk) -> VirtualHost {
        var recovery = JournalRecovery(into: Transcript())
        disk.bytes.withUnsafeBytes { bytes in
            #expect(recovery.read(bytes, at: 0) == UInt64(clamping: bytes.count))
            #expect(recovery.read(UnsafeRawBufferPointer(rebasing: bytes[..<0]), at: 0) == nil)
        }
        return host(recovery.transcript(logSize: UInt64(clamping: disk.bytes.count)))
    }

    @Test func newLines_comeBehindTheOldOnes_whereOneOfThemIsDamaged() {
        let disk = Disk()
        let host = resumed(disk)
        let before = disk.bytes
        _ = say(2, host, to: disk)
        #expect(disk.bytes.starts(with: before), "what was there stays as it is")
        #expect(host.log.place(of: .disk)?.fileOffset == UInt64(clamping: disk.bytes.count))
        #expect(host.log.place(of: .disk)?.lastSeq == 12)
        let log = resumed(on: disk).log
        var reader = FeedReader(log)
        reader.drain(log)
        #expect(reader.gaps == [3...3])
        #expect(reader.finals.count == 11 && log.lastSeq == 12)
    }

    /// Lines 1 and 2, the news, lines 4 to 10: for who comes late, and who had some before.
    @Test(arguments: [(0, [1, 4], 9), (1, [2, 4], 8), (2, [4], 7), (3, [4], 7), (6, [7], 4)])
    func guest_isToldOfTheGap_whereItComesToIt(after: Int, announced: [Int], lines: Int) throws {
        let host = resumed(Disk())
        let handle = host.room.connected(1, from: "peer", now: now)
        let position = Handshake.Resume(
            session: host.log.session.wireName, after: after)
        let handshake = Handshake(
            deviceId: UUID().wireName, displayName: "Ann", resume: after > 0 ? position : nil,
            timestamp: nil)
        let hello = try FrameEncoder().frame(.handshake(handshake))
        _ = hello.withUnsafeBytes { host.room.received($0, from: 1, now: now) }
        let packets = received(handle, host)
        let histories = packets.compactMap { packet -> FullHistory? in
            if case .fullHistory(let history) = packet { history } else { nil }
        }
        #expect(histories.map(\.from) == announced)
        #expect(histories.allSatisfy { $0.through == 10 })
        var next = 0
        var seqs: [Int] = []
        for packet in packets {
            if case .fullHistory(let history) = packet { next = history.from }
            guard case .liveChunk(let chunk) = packet, let seq = chunk.seq else { continue }
            #expect(seq == next, "line \(seq), where \(next) was announced")
            next += 1
            seqs.append(seq)
        }
        #expect(seqs.count == lines && seqs.last == 10 && !seqs.contains(3))
    }

    private func received(_ guest: Room.Handle, _ host: VirtualHost) -> [Packet] {
        var (decoder, packets) = (FrameDecoder(), [Packet]())
        _ = host.room.drain(guest, now: now) { bytes in
            try? decoder.decode(bytes) { payload in
                if let packet = try? PacketDecoder().packet(payload) { packets.append(packet) }
                return true
            }
            return bytes.count
        }
        return packets
    }

    @Test func lines_areInTheLog_onceStored() {
        let (host, disk) = (host(), Disk())
        #expect(say(3, host, to: disk) == [])
        #expect(disk.lines == [1, 2, 3])
        #expect(say(2, host, to: disk) == [])
        #expect(disk.lines == Array(1...5))
        #expect(host.log.place(of: .disk)?.lastSeq == 5)
    }

    @Test func failure_isToldOnce_andMadeUpForLater() {
        let (host, disk) = (host(), Disk())
        _ = say(2, host, to: disk)
        // The disk takes half a line more, and then nothing.
        disk.room = 30
        #expect(say(2, host, to: disk) == [.storageFailed("the disk is full")])
        #expect(say(2, host, to: disk) == [])
        #expect(host.log.isFailing(.disk))
        #expect(disk.lines == [1, 2])
        disk.room = .max
        #expect(store(host, to: disk) == [.storageRestored(through: 6)])
        #expect(disk.lines == Array(1...6))
        #expect(!host.log.isFailing(.disk))
    }

    @Test func linesThatWentFromMemory_areAGapInTheLog() {
        let transcript = Transcript(limit: 1_024, chunkSize: 512)
        let (host, disk) = (host(transcript), Disk())
        _ = say(3, host, to: disk)
        disk.room = 30
        var events: [HostEvent] = []
        for _ in 0..<20 { events += say(1, host, to: disk) }
        let gaps = events.compactMap { event -> ClosedRange<Int>? in
            if case .storageGap(let from, let through) = event { from...through } else { nil }
        }
        #expect(gaps.first?.lowerBound == 4)
        disk.room = .max
        _ = store(host, to: disk)
        let kept = transcript.firstSeq
        #expect(gaps.last?.upperBound == kept - 1)
        #expect(disk.lines == [1, 2, 3] + Array(kept...23))
    }

    @Test func lines_areWrittenAgain_whenTheDiskLostThem() {
        let (host, disk) = (host(), Disk())
        _ = say(2, host, to: disk)
        if let place = host.log.unconfirmed(.disk) { host.log.confirmed(.disk, place) }
        #expect(host.log.unconfirmed(.disk) == nil)
        let synchronized = disk.bytes.count
        _ = say(2, host, to: disk)
        #expect(host.log.unconfirmed(.disk) != nil)
        // What the disk did not confirm is gone.
        disk.bytes.replaceSubrange(
            synchronized..., with: [UInt8](repeating: 0, count: disk.bytes.count - synchronized))
        #expect(
            host.log.failed(.disk, "no power", now: now) == [.storageFailed("no power")])
        #expect(store(host, to: disk) == [.storageRestored(through: 4)])
        #expect(disk.lines == [1, 2, 3, 4])
    }

    @Test func sessionWithoutLog_handsNothingOver() {
        let host = VirtualHost(now: now)
        let disk = Disk()
        #expect(say(3, host, to: disk) == [])
        #expect(disk.bytes == [])
        #expect(host.log.unconfirmed(.disk) == nil)
    }
}
