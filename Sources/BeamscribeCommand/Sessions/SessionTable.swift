import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// The table that `sessions` shows people.
struct SessionTable {
    private let sessions: [SessionSummary]
    /// The columns that a row may take; nil for as many as it needs.
    private let width: Int?
    private let alignment: TableAlignment
    private let year: Int

    /// What the event's name is given at least.
    private static let nameColumns = 12
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter now: seconds since 1970; times of other years are shown without the hour.
    init(
        _ sessions: [SessionSummary], width: Int?, _ alignment: TableAlignment = .blanks,
        now: Double
    ) {
        self.sessions = sessions
        self.width = width
        self.alignment = alignment
        year = LocalTime(now).year
    }

    /// A heading, and a row a session.
    var rows: [String] {
        let cells =
            [["ID", "STATE", "STARTED", "LAST LINE", "LINES", "LENGTH", "SIZE", "EVENT"]]
            + sessions.map(cells)
        let widths = (0..<cells[0].count - 1).map { column in
            cells.map { $0[column].count }.max() ?? 0
        }
        let room = (width ?? 80) - widths.reduce(0, +) - Self.nameColumns
        let gap = String(repeating: " ", count: room >= 2 * widths.count ? 2 : 1)
        return cells.map { row($0, widths, gap) }
    }

    private func row(_ cells: [String], _ widths: [Int], _ gap: String) -> String {
        var (row, start) = ("", 0)
        for (index, width) in widths.enumerated() {
            let blanks = String(repeating: " ", count: width - cells[index].count)
            // Names to the left, numbers and times to the right.
            let text = index < 3 ? cells[index] : blanks + cells[index]
            row += alignment.cell(text, start: start, columns: width + gap.count)
            start += width + gap.count
        }
        let name = cells[widths.count]
        guard let width else { return row + name }
        return row + CharacterWidths.largest.truncated(name, columns: max(4, width - start))
    }

    private func cells(of session: SessionSummary) -> [String] {
        let started = LocalTime(session.started)
        let last = session.lastLine.map { LocalTime($0) }
        let isSameDay = last.map { dayText($0) == dayText(started) && $0.year == started.year }
        let lastText = last.map { isSameDay == true ? $0.timeOfDay : text($0) } ?? "-"
        return [
            String(session.session.prefix(idLength)), session.state.rawValue, text(started),
            lastText, "\(session.lines)",
            session.lines == 0 ? "-" : Self.length(session.duration), Self.size(session.size),
            name(of: session),
        ]
    }

    private func name(of session: SessionSummary) -> String {
        guard session.held == true else {
            return session.label.map { "\(session.event) (\($0))" } ?? session.event
        }
        let name = session.label.map { "\(session.event) · \($0)" } ?? session.event
        let kind = session.isPrivate == true ? "private, held" : "held"
        return "\(name) (\(kind) for \(session.deviceName))"
    }

    /// So much of the ids that each is another.
    private var idLength: Int {
        let ids = sessions.map(\.session)
        return (8...36).first { length in Set(ids.map { $0.prefix(length) }).count == ids.count }
            ?? 36
    }

    // MARK: Numbers for people

    private func text(_ time: LocalTime) -> String {
        dayText(time) + " " + (time.year == year ? time.timeOfDay : "\(time.year)")
    }

    private func dayText(_ time: LocalTime) -> String {
        Self.months[time.month - 1] + (time.day < 10 ? "  " : " ") + "\(time.day)"
    }

    /// `45s`, `12m05s`, `1h02m`, `3d04h`.
    static func length(_ seconds: Double) -> String {
        let seconds = Int(saturating: max(0, min(seconds, 1e9)))
        let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
        if minutes == 0 { return "\(seconds)s" }
        if hours == 0 { return "\(minutes)m\((seconds % 60).twoDigits)s" }
        if days == 0 { return "\(hours)h\((minutes % 60).twoDigits)m" }
        return "\(days)d\((hours % 24).twoDigits)h"
    }

    /// `812B`, `1.2kB`, `18kB`, `4.5MB`.
    static func size(_ bytes: UInt64) -> String {
        guard bytes >= 1_000 else { return "\(bytes)B" }
        var size = Double(bytes) / 1_000
        var units = ["k", "M", "G", "T"][...]
        while size >= 999.5, units.count > 1 {
            size /= 1_000
            units = units.dropFirst()
        }
        let tenths = Int(saturating: (size * 10).rounded())
        let number =
            tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(saturating: size.rounded()))"
        return number + units[units.startIndex] + "B"
    }
}
