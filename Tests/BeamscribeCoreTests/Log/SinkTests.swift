import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Sinks that take what they are given now and then, and readers who come in between.
@Suite struct SinkTests {
    private struct Refusal: Error {}
    private let now = Moment(uptime: .seconds(50), wall: 1_800_000_000)

    /// What has come into a sink, as a file.
    private final class File {
        private(set) var bytes: [UInt8] = []
        /// Bytes that it still takes.
        var room = 0

        func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(Refusal) -> Int {
            guard room > 0 else { throw Refusal() }
            let count = min(room, new.count)
            room -= count
            bytes.replaceSubrange(Int(clamping: offset)..., with: new.prefix(count))
            return count
        }

        /// The lines that it holds whole.
        var lines: [Int] {
            var (lines, reader) = ([Int](), JournalReader())
            bytes.withUnsafeBytes { reader.read($0) { _, _, seq in lines.append(seq) } }
            return lines
        }
    }

    private func feed(_ log: EventLog, _ sink: SinkName, _ file: File) {
        _ = log.feed(sink, now: now) { bytes, offset throws(Refusal) in
            try file.write(bytes, at: offset)
        }
    }

    @Test func nobodyReads_whatASinkHasNotTaken() {
        let host = VirtualHost(now: now)
        let file = File()
        host.log.add(.disk)
        var reader = FeedReader(host.log)
        host.publisher.publish(final: Caption(text: "one"), now: now)
        host.publisher.publish(partial: Caption(text: "tw"), now: now)
        reader.drain(host.log)
        #expect(reader.items.isEmpty)
        file.room = .max
        feed(host.log, .disk, file)
        reader.drain(host.log)
        #expect(reader.items == [.final(1, "one"), .partial("l-2", "tw")])
    }

    @Test func sinkThatFails_isNotWaitedFor() {
        let host = VirtualHost(now: now)
        host.log.add(.disk)
        host.log.add(SinkName("other"))
        var reader = FeedReader(host.log)
        host.publisher.publish(final: Caption(text: "one"), now: now)
        feed(host.log, .disk, File())
        reader.drain(host.log)
        #expect(reader.finals.isEmpty, "the other one is still waited for")
        #expect(host.log.failed(SinkName("other"), "gone", now: now) == [.storageFailed("gone")])
        reader.drain(host.log)
        #expect(reader.finals == ["one"])
    }

    /// Of two sinks that take what they like; a failure names its seed.
    @Test func readers_haveWhatEverySinkHas_andSinksEverything_inTheEnd() {
        for seed in 0..<UInt64(300) {
            var generator = SeededGenerator(seed: seed)
            let host = VirtualHost(now: now)
            let sinks = [(SinkName.disk, File()), (SinkName("other"), File())]
            for (name, _) in sinks { host.log.add(name) }
            var reader = FeedReader(host.log)
            for _ in 0..<40 {
                let (name, file) = sinks.randomElement(using: &generator)!
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1: host.publisher.publish(final: Caption(text: "line"), now: now)
                case 2: file.room = Int.random(in: 0...300, using: &generator)
                case 3: _ = host.log.failed(name, "so it is", now: now)
                case 4: host.log.unconfirmed(name).map { host.log.confirmed(name, $0) }
                default: feed(host.log, name, file)
                }
                reader.drain(host.log)
                for (name, file) in sinks where !host.log.isFailing(name) {
                    #expect(reader.position.seq - 1 <= file.lines.count, "seed \(seed)")
                }
                #expect(host.log.brokenInvariant == nil)
            }
            for (name, file) in sinks {
                file.room = .max
                feed(host.log, name, file)
                #expect(file.lines == Array(1..<host.log.lastSeq + 1), "seed \(seed)")
            }
            reader.drain(host.log)
            #expect(reader.finals.count == host.log.lastSeq)
        }
    }

    @Test func reader_getsWhatIsTaken_thoughMoreWasSaidSince() {
        let host = VirtualHost(now: now)
        let file = File()
        file.room = .max
        host.log.add(.disk)
        host.publisher.publish(final: Caption(text: "zero"), now: now)
        feed(host.log, .disk, file)
        let before = file.bytes.count
        let start = host.log.reader(after: 1).cursor
        host.publisher.publish(final: Caption(text: "one"), now: now)
        feed(host.log, .disk, file)
        host.publisher.publish(final: Caption(text: "two"), now: now)
        #expect(host.log.frames(at: start).count == file.bytes.count - before)
        var end = start
        host.log.advance(&end, by: file.bytes.count - before)
        #expect(host.log.frames(at: end).isEmpty)
    }
}
