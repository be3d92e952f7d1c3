import BeamscribeCore
import BeamscribeIO

/// Which logs an export is made of: those of a whole event that this machine has, or one.
struct ExportChoice {
    /// A session as ``SessionChoice`` knows it, an event's name, the path of a log, or that of a session's
    /// folder. What holds a slash is a path; what is nothing else may be one.
    let wanted: String
    /// The event's logs that are wanted, by name or id; `floor` is the one that founded it, `all` all of
    /// them. Empty for those of captions.
    var labels: [String] = []
    /// Whether logs that are for some readers alone belong to the event's. A log that is named by
    /// its label, its id or its path is written in any case.
    var includesPrivate = false

    /// What is exported, and what of it is in another language.
    struct Sources {
        /// The logs that are written, that which founded the event first.
        var logs: [ExportSource]
        /// Logs whose lines may stand in the place of others'.
        var translations: [ExportSource] = []
        /// Private logs that would be written if they had been asked for.
        var leftOut: [ExportSource] = []
    }

    /// - Throws: ``Failure`` where there is no such thing.
    func find(in store: SessionStore) throws -> Sources {
        let entries = wanted.contains("/") ? [] : try store.list()
        guard let entry = try entry(among: entries) else {
            guard labels.isEmpty else {
                throw Failure(
                    .usage, "--log takes logs of an event that is kept here, and no file's.")
            }
            return Sources(logs: [try ExportSource(at: wanted)])
        }
        guard !entry.record.isSideLog || !isMeantByID(entry) || !labels.isEmpty else {
            return Sources(logs: [try ExportSource(entry, in: store)])
        }
        return try chosen(of: entry.record.event, among: entries, in: store)
    }

    /// By its own id one of several logs is meant alone; `last` means the whole event.
    private func isMeantByID(_ entry: SessionEntry) -> Bool {
        wanted != "last" && entry.record.session.hasPrefix(wanted.lowercased())
    }

    private func entry(among entries: [SessionEntry]) throws -> SessionEntry? {
        guard !wanted.contains("/") else { return nil }
        let isLast = wanted == "last" && !includesPrivate
        let candidates = isLast ? entries.filter { !$0.record.isPrivate } : entries
        guard !candidates.isEmpty || entries.isEmpty else { throw Self.allIsPrivate }
        do {
            return try SessionChoice(wanted: wanted).find(among: candidates)
        } catch let failure as Failure {
            if let named = named(among: entries) { return named }
            guard failure.code == .unreadableInput, OutputFile.exists(wanted) else { throw failure }
            return nil
        }
    }

    /// The event of that name of which something was heard last.
    ///
    /// Others' logs say themselves what their event is called. That counts only where nothing is
    /// here that is this machine's own or its founder's.
    private func named(among entries: [SessionEntry]) -> SessionEntry? {
        let known = Set(
            entries.map(\.record).filter { !$0.isSideLog || $0.held == nil }.map(\.event))
        let named = entries.filter {
            $0.record.eventName == wanted
                && (!$0.record.isSideLog || $0.record.held == nil
                    || !known.contains($0.record.event))
        }
        guard let newest = named.max(by: { $0.touched < $1.touched }) else { return nil }
        return named.first { $0.record.session == newest.record.event } ?? newest
    }

    private func chosen(
        of event: String, among entries: [SessionEntry], in store: SessionStore
    ) throws -> Sources {
        let logs = entries.filter { $0.record.event == event }.sorted {
            ($0.record.isSideLog ? 1 : 0, $0.record.runs[0].started, $0.record.session)
                < ($1.record.isSideLog ? 1 : 0, $1.record.runs[0].started, $1.record.session)
        }
        let all = try logs.map { try ExportSource($0, in: store) }
        for label in labels where !Self.isAll(label) {
            guard !all.contains(where: { isMeant($0, by: label) }) else { continue }
            throw Failure(
                .usage,
                "this machine has no log '\(SafeText.line(label))' of the event; it has "
                    + "\(WordList.of(all.map(Self.label), limit: 8)).")
        }
        let named = all.filter { source in labels.contains { isMeant(source, by: $0) } }
        let shared = all.filter { includesPrivate || !$0.isPrivate }
        let translations = shared.filter { $0.title?.translates != nil }
        guard labels.isEmpty || labels.contains(where: Self.isAll) else {
            return Sources(logs: named, translations: translations)
        }
        let captions = { (logs: [ExportSource]) in
            labels.isEmpty ? logs.filter { $0.title?.translates == nil } : logs
        }
        let names = Set(named.compactMap(\.title?.session))
        let isWritten = { (source: ExportSource) in
            includesPrivate || !source.isPrivate || names.contains(source.title?.session ?? "")
        }
        let wanted = captions(all).isEmpty ? all : captions(all)
        let written = wanted.filter(isWritten)
        guard !written.isEmpty else {
            throw Self.allIsPrivate
        }
        return Sources(
            logs: written, translations: translations,
            leftOut: wanted.filter { !isWritten($0) })
    }

    private static var allIsPrivate: Failure {
        Failure(.usage, "all that this machine has of the event is private: --private writes it.")
    }

    private static func isAll(_ label: String) -> Bool { label.lowercased() == "all" }

    private func isMeant(_ source: ExportSource, by label: String) -> Bool {
        let wanted = label.lowercased()
        return Self.label(source).lowercased() == wanted || source.title?.session == wanted
    }

    private static func label(_ source: ExportSource) -> String {
        source.isMain ? LogRecord.mainLabel : source.title?.label ?? ""
    }
}
