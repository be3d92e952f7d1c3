import Beamscribe
import BeamscribeCore

/// The finals of a log that a host has in memory, as far as there were any when it was looked through, piece
/// by piece: once to find its corrections, and then to be written.
///
/// Invariant: `waiting` has lines of the piece that was read last, in order; none before them is to come.
struct DownloadedLog {
    let source: FeedSource
    let title: LogTitle?
    /// The number of the newest line.
    let last: Int
    /// When its lines were said.
    private(set) var times: [EventTimes.Line] = []
    private let session: String
    private var position: FeedPlace
    private var corrections = CorrectionIndex<Int>()
    private var waiting: ArraySlice<TranscriptLine> = []
    private var isRead = false

    /// - Parameter isWanted: whether anybody is still there to get it; asked before each piece.
    init(_ source: FeedSource, while isWanted: () -> Bool) async {
        self.source = source
        let greeting = await source.greeting()
        (session, last) = (greeting.session, greeting.lastSeq)
        title = await source.title
        position = await source.reader(after: 0)
        await lookThrough(while: isWanted)
        position = await source.reader(after: 0)
        isRead = false
    }

    private mutating func lookThrough(while isWanted: () -> Bool) async {
        while !isRead, isWanted() {
            await readOn()
            for line in waiting {
                corrections.add(line.seq, replacing: line.replaces, at: line.seq)
            }
            times += waiting.map { EventTimes.Line($0) }
            waiting = []
        }
    }

    // MARK: Reading it again

    /// Whether the next line is only known once ``readOn()`` was called.
    var isBehind: Bool { waiting.isEmpty && !isRead }

    /// Reads the next piece.
    mutating func readOn() async {
        var batch = await source.feed(from: position, by: FinalsEncoder())
        if batch.bytes.isEmpty, position.seq <= last, batch.outcome == .over,
            await source.greeting().session == session
        {
            // The same event's host was started anew: who holds it has another log of it.
            position = await source.reader(after: position.seq - 1)
            batch = await source.feed(from: position, by: FinalsEncoder())
        }
        position = batch.end
        waiting = FinalsEncoder.lines(batch.bytes).filter { $0.seq <= last }[...]
        isRead = batch.outcome != .more || position.seq > last
    }

    /// The next line as it was said; nil at the end, and where more is to be read.
    mutating func next() -> TranscriptLine? { waiting.popFirst() }

    /// A line as its corrections say it; nil for one that is a correction.
    func corrected(_ line: TranscriptLine) async -> TranscriptLine? {
        guard !corrections.isCorrection(line.seq) else { return nil }
        var line = line
        line.replaces = nil
        for seq in corrections.corrections(of: line.seq) {
            guard let correction = await self.line(seq) else { continue }
            line = line.corrected(by: correction)
        }
        return line
    }

    private func line(_ seq: Int) async -> TranscriptLine? {
        let position = await source.reader(after: seq - 1)
        let batch = await source.feed(from: position, by: FinalsEncoder(), limit: 1)
        return FinalsEncoder.lines(batch.bytes).first { $0.seq == seq }
    }
}

/// The packets of finals, a line each.
private struct FinalsEncoder: FeedEncoder {
    func append(_ item: Reader.Item, to bytes: inout [UInt8]) {
        guard case .final(_, let payload) = item else { return }
        bytes += payload
        bytes.append(UInt8(ascii: "\n"))
    }

    static func lines(_ bytes: [UInt8]) -> [TranscriptLine] {
        let decoder = PacketDecoder()
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { payload in
            let packet = payload.withUnsafeBytes { try? decoder.packet($0) }
            guard case .liveChunk(let chunk)? = packet, let seq = chunk.seq else { return nil }
            return TranscriptLine(chunk, seq: seq)
        }
    }
}
