import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// The logs of an event that its host writes besides the main one: its translations, which are there from the start,
/// and one for each name under which somebody was listened to, in this run or an earlier one.
///
/// Invariant: no name has two logs, none was begun with the label of another, and each is on the shelf; of those who
/// talk there are at most ``Limits/talkerLogs``.
final class SideLogs {
    /// Told when what there is may be stored, and then read.
    var isDue: () -> Void = {}
    /// Told that there is one more log.
    var opened: () -> Void = {}

    /// Those of the translations, in the configuration's order; none where they go among the lines that they translate.
    let translations: [SideLog]
    /// What those have said who talk, by their names, in the order in which they were begun.
    private var talkers: [(name: String, log: SideLog)] = []
    /// Names that have no log, as one could not be made, or there are too many.
    private var refused: Set<String> = []
    /// Whether the disk does not take what those say who talk.
    private(set) var isFailing = false
    /// Logs of an earlier run that cannot go on, by their labels.
    private(set) var damages: [(log: String, damage: OtherLogDamage)] = []
    /// Nil where the event can have no other logs.
    private let shelf: Shelf?
    private let configuration: HostConfiguration
    private let surroundings: any Surroundings

    /// All that an earlier run has left goes on, and all are served from now on.
    ///
    /// - Parameter shelf: nil where the event can have no other logs.
    init(
        _ configuration: HostConfiguration, on shelf: Shelf?, in surroundings: any Surroundings
    ) throws(StartError) {
        (self.configuration, self.shelf, self.surroundings) = (configuration, shelf, surroundings)
        (translations, damages) = try Self.translations(
            of: configuration, on: shelf, in: surroundings)
        translations.forEach { $0.isDue = { [unowned self] in isDue() } }
        takeUpTalkers()
    }

    /// All of them.
    private var all: [SideLog] { translations + ofTalkers }
    /// Those of who talks.
    var ofTalkers: [SideLog] { talkers.map(\.log) }

    // MARK: Translations

    /// A log that was kept and cannot go on stays where it is, and a new one begins.
    ///
    /// - Returns: no logs where they cannot be signed.
    private static func translations(
        of configuration: HostConfiguration, on shelf: Shelf?, in surroundings: any Surroundings
    ) throws(StartError) -> (logs: [SideLog], damages: [(log: String, damage: OtherLogDamage)]) {
        guard let shelf else { return ([], []) }
        var (logs, damages): ([SideLog], [(log: String, damage: OtherLogDamage)]) = ([], [])
        for translation in configuration.translations {
            let wanted = SessionRecord.Contribution(
                translating: configuration.session.wireName, into: translation.language)
            let stored = configuration.storedSideLogs { $0 == wanted }.first
            let resumed = stored.flatMap {
                try? SideLog(
                    configuration.side(wanted, in: .resumed($0)), in: shelf.order, surroundings)
            }
            if stored != nil, resumed == nil {
                damages.append((translation.language, .writtenAnew))
            }
            var log = resumed
            if log == nil {
                let new = configuration.side(wanted, in: configuration.newSideLog)
                log = try SideLog(new, in: shelf.order, surroundings)
            }
            guard let log else { return ([], damages) }
            logs.append(log)
        }
        logs.forEach { shelf.write($0.log) }
        return (logs, damages)
    }

    // MARK: Those who talk

    /// Whether each who talks has a log. Those who translate read the main one, so that words are said there.
    private var haveTalkersLogs: Bool { shelf != nil && configuration.translations.isEmpty }

    /// What they have said in earlier runs is the event's, whoever is listened to in this one.
    private func takeUpTalkers() {
        guard let shelf else { return }
        let stored = configuration.storedSideLogs { $0.talker != nil }
        for session in stored.prefix(Limits.talkerLogs) where shelf.hasRoom {
            guard let contribution = session.record.contribution, let name = contribution.talker,
                !talkers.contains(where: { $0.name == name })
            else { continue }
            let resumed = configuration.side(contribution, in: .resumed(session))
            guard let log = try? SideLog(resumed, in: shelf.order, surroundings) else {
                damages.append((session.record.title?.label ?? name, .writtenAnew))
                continue
            }
            add(log, of: name)
        }
    }

    private func add(_ log: SideLog, of name: String) {
        log.isDue = { [unowned self] in isDue() }
        talkers.append((name, log))
        shelf?.write(log.log)
    }

    /// The log of one who talks; nil where what he says belongs into the main one.
    func log(of talker: String) -> SideLog? {
        haveTalkersLogs ? talkers.first { $0.name == talker }?.log : nil
    }

    /// Somebody is listened to, and has a log from now on, where he may.
    ///
    /// - Returns: a log that was not there.
    func open(for talker: String) -> SideLog? {
        guard haveTalkersLogs, log(of: talker) == nil, !refused.contains(talker) else { return nil }
        guard let log = newLog(of: talker) else {
            // Whoever comes and goes under a thousand names is not to be remembered a thousand times.
            if refused.count < Limits.logs { refused.insert(talker) }
            return nil
        }
        add(log, of: talker)
        opened()
        return log
    }

    private func newLog(of talker: String) -> SideLog? {
        guard let shelf, shelf.hasRoom, talkers.count < Limits.talkerLogs else { return nil }
        let contribution = SessionRecord.Contribution(
            talker: talker, in: configuration.session.wireName, as: label(for: talker, on: shelf))
        let new = configuration.side(contribution, in: configuration.newSideLog)
        guard let log = try? SideLog(new, in: shelf.order, surroundings),
            (try? log.keep()) != nil
        else { return nil }
        return log
    }

    /// The name itself, or where something is called so already, with a number behind it.
    private func label(for talker: String, on shelf: Shelf) -> String {
        let labels = shelf.titles.map(\.label) + [LogRecord.mainLabel, LogChoice.all]
        let taken = Set(labels.map { $0.lowercased() })
        guard taken.contains(talker.lowercased()) else { return talker }
        let room = Limits.labelBytes - " \(Limits.logs + 2)".utf8.count
        let name = SafeText.name(talker, bytes: room)
        // There is one more number than there can be logs.
        let number = (2...Limits.logs + 2).first { !taken.contains("\(name) \($0)".lowercased()) }
        return "\(name) \(number ?? 2)"
    }

    // MARK: All of them

    /// Whether anything was said by who talks.
    var hasTalkersLines: Bool { talkers.contains { $0.log.log.lastSeq > 0 } }

    /// Opens the files of those that there are, before anything is given out.
    func keep() throws(SystemError) { for log in all { try log.keep() } }

    /// Stores what was said, so that it may be shown.
    ///
    /// - Returns: that the disk does not take what those say who talk, or does again. Of translations it is told by the
    ///   main log, which is on the same one, and has what they translate.
    func store() -> [HostEvent] {
        translations.forEach { _ = $0.store() }
        let events = ofTalkers.flatMap { $0.store() }
        let isFailing = ofTalkers.contains { $0.log.isFailing(.disk) }
        guard isFailing != self.isFailing else { return [] }
        self.isFailing = isFailing
        return Array(
            events.filter {
                switch $0 {
                case .storageFailed: isFailing
                case .storageRestored: !isFailing
                default: false
                }
            }.prefix(1))
    }

    /// The event ends, or its host stops.
    func end(_ kind: Alert.Kind, _ message: String) { all.forEach { $0.end(kind, message) } }

    /// Stores the rest, and how the run ended, and waits for the disk.
    func close(_ state: SessionRecord.State, guests: Int) {
        all.forEach { $0.close(state, guests: guests) }
    }

    /// How many lines of those who talk the disk does not have, and cannot take for now.
    var unsavedLines: Int { ofTalkers.reduce(0) { $0 + $1.unsavedLines } }
}

extension HostConfiguration {
    /// A log of this event, as that of a host that does nothing else.
    fileprivate func side(
        _ contribution: SessionRecord.Contribution, in storage: Storage
    ) -> HostConfiguration {
        var side = self
        side.session = UUID()
        if case .resumed(let stored) = storage,
            let session = UUID(uuidString: stored.record.session)
        {
            side.session = session
        }
        // It is kept for as long as its event.
        if case .resumed(let event) = self.storage, keep == nil {
            side.keep = event.record.keep.map { .seconds(saturating: $0) }
        }
        side.contribution = contribution
        (side.storage, side.regained) = (storage, nil)
        side.history = min(history, Limits.shelvedLog)
        return side
    }

    /// What an earlier run of the event has left of its host's other logs, the one that was last written first.
    fileprivate func storedSideLogs(
        where isWanted: (SessionRecord.Contribution) -> Bool
    ) -> [StoredSession] {
        guard case .resumed = storage, let store = otherLogs, let entries = try? store.list()
        else { return [] }
        let mine = entries.filter { entry in
            guard let contribution = entry.record.contribution else { return false }
            return contribution.event == session.wireName && isWanted(contribution)
                && entry.record.writer == security.fingerprint && !entry.isInUse
        }
        return mine.sorted { $0.touched > $1.touched }.compactMap {
            try? store.open($0.record.session)
        }
    }

    /// Where a log is kept of which there is nothing yet.
    fileprivate var newSideLog: Storage {
        switch storage {
        case .none: .none
        case .new(let store): .new(store)
        case .resumed: otherLogs.map { .new($0) } ?? .none
        }
    }
}
