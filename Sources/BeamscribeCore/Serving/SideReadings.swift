/// How far a guest has read the logs that it reads besides the main one, and which of all its connection
/// is in.
///
/// Invariant: `active` is the log whose reader the guest has at hand, nil for the main one; each other
/// that it reads is `parked`, and stands between two frames. The main one is always one of them.
struct SideReadings {
    /// The log that the guest's connection is in; nil for the main one.
    private(set) var active: EventLog?
    private var parked: [Parked] = []
    /// Whether what is at hand is read no more, once its frame is whole.
    private var isActiveDropped = false

    private struct Parked {
        /// Nil for the main one.
        let log: EventLog?
        var reader: Reader
        /// Whether it was told which lines follow.
        var isAnnounced: Bool

        func isOwed(_ main: EventLog, isClosing: Bool = false) -> Bool {
            !isAnnounced || reader.isOwed(log ?? main, isClosing: isClosing)
        }
    }

    /// What a connection goes on with.
    struct Turn {
        /// Nil for the main one.
        let log: EventLog?
        /// Whether it is to be told which lines follow.
        let isNew: Bool
    }

    /// Whether the main log is all that is read.
    var isEmpty: Bool { active == nil && parked.isEmpty }

    /// The logs that are read, but for the main one.
    var logs: [EventLog] {
        (isActiveDropped ? [] : [active]).compactMap(\.self) + parked.compactMap(\.log)
    }

    /// Reads a log from there on, in place of what was read of it before.
    mutating func read(_ log: EventLog, at reader: Reader) {
        for old in logs where old.session == log.session { remove(old) }
        parked.append(Parked(log: log, reader: reader, isAnnounced: false))
    }

    /// Reads a log no more.
    mutating func remove(_ log: EventLog) {
        parked.removeAll { $0.log === log }
        if active === log { isActiveDropped = true }
    }

    /// Chooses what is gone on with, at a frame's end: lines of the main log go first, then those of the
    /// others by turns, and what is open at last.
    ///
    /// - Parameter reader: what is at hand, and is then.
    /// - Returns: nil to stay where it is.
    mutating func takeTurn(
        _ reader: inout Reader, _ main: EventLog, isClosing: Bool
    ) -> Turn? {
        guard let index = next(after: reader, main, isClosing: isClosing) else { return nil }
        let chosen = parked.remove(at: index)
        if !isActiveDropped {
            parked.append(Parked(log: active, reader: reader, isAnnounced: true))
        }
        (active, reader, isActiveDropped) = (chosen.log, chosen.reader, false)
        return Turn(log: chosen.log, isNew: !chosen.isAnnounced)
    }

    private func next(after reader: Reader, _ main: EventLog, isClosing: Bool) -> Int? {
        guard let active else {
            return reader.hasLines(in: main, isClosing: isClosing)
                ? nil : parked.firstIndex { $0.isOwed(main, isClosing: isClosing) }
        }
        guard let home = parked.firstIndex(where: { $0.log == nil }) else { return nil }
        if isActiveDropped || parked[home].reader.hasLines(in: main, isClosing: isClosing) {
            return home
        }
        if reader.isOwed(active, isClosing: isClosing) { return nil }
        let side = parked.firstIndex {
            $0.log != nil && $0.isOwed(main, isClosing: isClosing)
        }
        if let side { return side }
        return isClosing || parked[home].isOwed(main) ? home : nil
    }
}

extension Reader {
    /// Whether there is a line for it, or news of one that is missing, or an alert.
    ///
    /// A guest that is sent away gets no alerts: a pending one must not come before other logs.
    fileprivate func hasLines(in log: EventLog, isClosing: Bool) -> Bool {
        // In that order: where memory has let lines go there is nothing to look at.
        (isClosing ? log.mayHaveGap(at: cursor) : hasNews(in: log))
            || !log.frames(at: cursor).isEmpty
    }

    /// Whether there is anything for it, but the last word. Who is sent away gets nothing that is only begun.
    fileprivate func isOwed(_ log: EventLog, isClosing: Bool) -> Bool {
        log.mayHaveGap(at: cursor) || !log.frames(at: cursor).isEmpty
            || !isClosing && isOwedPartials(in: log)
    }
}
