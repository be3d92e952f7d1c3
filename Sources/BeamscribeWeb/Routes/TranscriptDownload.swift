import Beamscribe
import BeamscribeCore

/// Writes the finals that the host has in memory as a transcript, corrections in their places, as
/// `beamscribe export` does with a log, or with several of an event in their common order. It reads each
/// twice, piece by piece.
struct TranscriptDownload {
    private let isWanted: @Sendable () -> Bool
    private var logs: [DownloadedLog] = []
    private let clock: EventTimes
    private var exporter: TranscriptExporter
    private var merged: MergedLines
    /// The logs of which the next line is not known.
    private var due: [Int]
    private var header: String?
    private var isDone = false

    /// - Parameters:
    ///   - sources: the logs, the main one first.
    ///   - isWanted: whether anybody is still there to get it; asked before each piece.
    init(
        _ format: TranscriptFormat, of sources: [FeedSource],
        while isWanted: @escaping @Sendable () -> Bool
    ) async {
        self.isWanted = isWanted
        for source in sources { logs.append(await DownloadedLog(source, while: isWanted)) }
        clock = EventTimes(
            of: logs.count > 1 ? logs.map(\.times) : [],
            sessions: logs.map { $0.title?.session ?? "" },
            main: logs.firstIndex { $0.source.log == nil })
        exporter = TranscriptExporter(format, of: await Self.exported(logs, clock))
        merged = MergedLines(of: logs.map { $0.title?.session ?? "" })
        due = Array(logs.indices)
        header = exporter.header
    }

    /// Lines of several logs are told by their names, but for those of the main one.
    private static func exported(
        _ logs: [DownloadedLog], _ clock: EventTimes
    ) async -> [TranscriptExporter.Log] {
        let starts = logs.indices.map { logs.count > 1 ? clock.first(of: $0) : nil }
        let first = starts.compactMap(\.self).min()
        var exported: [TranscriptExporter.Log] = []
        for (log, start) in zip(logs, starts) {
            let isMain = log.source.log == nil
            let begins = logs.count > 1 ? (start ?? 0) - (first ?? 0) : 0
            exported.append(
                TranscriptExporter.Log(
                    logs.count > 1 && !isMain ? log.title : nil, range: 1...max(1, log.last),
                    // A place is one in the log that its operator writes.
                    marks: isMain || logs.count == 1 ? await log.source.marks() : [],
                    begins: begins))
        }
        return exported
    }

    /// The next piece; nil after the last, and where nobody wants it any more.
    mutating func next() async -> String? {
        guard !isDone, isWanted() else { return nil }
        var text = header ?? ""
        header = nil
        for log in due where logs[log].isBehind { await logs[log].readOn() }
        advance()
        while due.isEmpty, let (line, log) = merged.first() {
            text += await written(line, of: log)
            due = [log]
            advance()
        }
        if due.isEmpty {
            isDone = true
            text += exporter.end()
        }
        return text
    }

    /// Tells the next lines of the logs of which they are here; the others are left for the next piece.
    private mutating func advance() {
        let asked = due
        due = []
        for log in asked {
            let line = logs[log].next()
            merged.set(line, of: log)
            if line == nil, logs[log].isBehind { due.append(log) }
        }
    }

    private mutating func written(_ line: TranscriptLine, of log: Int) async -> String {
        guard let shown = await logs[log].corrected(line) else { return "" }
        let title = logs.count > 1 ? logs[log].title : nil
        let time = clock.time(of: line.seq, in: log)
        return exporter.text(for: shown, of: log, at: time, signed: title.map { (shown, $0) })
    }
}
