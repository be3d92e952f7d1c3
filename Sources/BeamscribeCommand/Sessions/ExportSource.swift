import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A log that is exported.
struct ExportSource {
    let log: SessionLog
    /// What it is called in messages.
    let name: String
    /// The places that its operator marked; none where only a log is known.
    let marks: [SessionRecord.Mark]
    /// Which lines may stand where; nothing is known where there is only a log.
    let boundaries: RunBoundaries
    /// What it is among the logs of its event, and who has signed it; nil where that is not known.
    let title: LogTitle?
    /// Whether it has founded its event.
    let isMain: Bool
    /// Whether it was written here, as far as is known.
    let isOwn: Bool
    /// When it was begun, by its writer's clock; nil where that is unknown.
    let founded: Double?
    /// Whether the operator of its event has marked places in it.
    let isMarked: Bool
    /// Which of its lines its writer has not signed as they are here; nil where that is not known.
    let unproven: UnprovenLines?
    /// Whether its lines are for some readers alone.
    var isPrivate: Bool { title?.isPrivate ?? false }

    init(_ entry: SessionEntry, in store: SessionStore) throws {
        let record = entry.record
        (marks, title) = (record.marks ?? [], record.title)
        (isMain, isOwn) = (!record.isSideLog, record.held == nil)
        founded = record.runs.first?.started
        isMarked = isMain || record.contribution?.talker != nil
        let id = record.session.prefix(8)
        name = isMain ? "session \(id)" : "session \(id) (\(title?.label ?? "another log"))"
        do throws(SystemError) {
            log = try store.log(of: record.session)
        } catch {
            throw Failure(cannotExport: "\(error).")
        }
        boundaries = log.boundaries(of: record)
        unproven = UnprovenLines(in: log, of: record, in: store)
    }

    /// What its lines are called; nil for those of the event itself, and for those of a log that is
    /// written by itself, unless it is private. Who has begun an event in which everybody captions
    /// is one of several.
    func shownTitle(amongOthers isMerged: Bool) -> LogTitle? {
        guard isMerged || isPrivate else { return nil }
        return title.flatMap {
            isMain && $0.label == LogRecord.mainLabel && !$0.isPrivate ? nil : $0
        }
    }

    /// What its records tell of it; nil for a log that is written by itself, unless it is private.
    func toldTitle(amongOthers isMerged: Bool) -> LogTitle? {
        isMerged || isPrivate ? title : nil
    }

    /// A log wherever it is.
    ///
    /// - Parameter path: that of the log, or of a session's folder.
    init(at path: String) throws {
        (marks, boundaries) = ([], RunBoundaries())
        (isMain, isMarked, founded, unproven) = (true, false, nil, nil)
        isOwn = SessionStore.record(beside: Self.log(at: path)).map { $0.held == nil } ?? true
        do throws(SystemError) {
            log = try SessionLog(reading: Self.log(at: path))
            // Lines that are for some alone are marked as such, also in a copy.
            let title = SessionStore.record(beside: log.path)?.title
            self.title = title.flatMap { $0.isPrivate ? $0 : nil }
            name = SafeText.line(log.path)
        } catch {
            throw Failure(cannotExport: "\(error).")
        }
    }

    private static func log(at path: String) -> String {
        let inFolder = path + "/log"
        return OutputFile.exists(inFolder) ? inFolder : path
    }
}

extension Failure {
    /// There is no log to be read.
    init(cannotExport why: String) {
        self.init(.unreadableInput, "\(why) `beamscribe sessions` lists the sessions there are.")
    }
}
