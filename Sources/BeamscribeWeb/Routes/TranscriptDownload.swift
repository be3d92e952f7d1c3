import Beamscribe
import BeamscribeCore

/// Writes the finals that the host has in memory as a transcript, corrections in their places, as
/// `beamscribe export` does with a log. It reads the host's transcript twice, piece by piece.
struct TranscriptDownload {
    private let host: FeedSource
    private let isWanted: @Sendable () -> Bool
    private var exporter: TranscriptExporter
    private let session: String
    private let last: Int
    private var position: FeedPlace
    private var corrections = CorrectionIndex<Int>()
    private var header: String?
    private var isDone = false

    /// - Parameter isWanted: whether anybody is still there to get it; asked before each piece.
    init(
        _ format: TranscriptFormat, of host: FeedSource,
        while isWanted: @escaping @Sendable () -> Bool
    ) async {
        self.host = host
        self.isWanted = isWanted
        let greeting = await host.greeting()
        (session, last) = (greeting.session, greeting.lastSeq)
        position = await host.reader(after: 0)
        exporter = await TranscriptExporter(
            format, range: 1...max(1, last), marks: host.marks())
        header = exporter.header
        await lookForCorrections()
        position = await host.reader(after: 0)
    }

    /// The next piece; nil after the last, and where nobody wants it any more.
    mutating func next() async -> String? {
        guard !isDone, isWanted() else { return nil }
        var text = header ?? ""
        header = nil
        let (lines, isLast) = await read()
        for line in lines { text += await written(line) }
        if isLast {
            isDone = true
            text += exporter.end()
        }
        return text
    }

    private mutating func lookForCorrections() async {
        while isWanted() {
            let (lines, isLast) = await read()
            for line in lines {
                corrections.add(line.seq, replacing: line.replaces, at: line.seq)
            }
            if isLast { return }
        }
    }

    private mutating func read() async -> (lines: [TranscriptLine], isLast: Bool) {
        var batch = await host.feed(from: position, by: FinalsEncoder())
        if batch.bytes.isEmpty, position.seq <= last, batch.outcome == .over,
            await host.greeting().session == session
        {
            // The same event's host was started anew: who holds it has another log of it.
            position = await host.reader(after: position.seq - 1)
            batch = await host.feed(from: position, by: FinalsEncoder())
        }
        position = batch.end
        let lines = FinalsEncoder.lines(batch.bytes).filter { $0.seq <= last }
        return (lines, batch.outcome != .more || position.seq > last)
    }

    private mutating func written(_ line: TranscriptLine) async -> String {
        guard !corrections.isCorrection(line.seq) else { return "" }
        var line = line
        line.replaces = nil
        for seq in corrections.corrections(of: line.seq) {
            guard let correction = await self.line(seq) else { continue }
            line = line.corrected(by: correction)
        }
        return exporter.text(for: line)
    }

    private func line(_ seq: Int) async -> TranscriptLine? {
        let position = await host.reader(after: seq - 1)
        let batch = await host.feed(from: position, by: FinalsEncoder(), limit: 1)
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
