import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// A translation of a signed event as a log of its own, which the host signs as it does the main one: what is
/// said there, and what is kept of it.
///
/// Invariant: each of its lines translates one of the event's main log, and none is said after its end.
final class TranslationLog {
    /// Told when what there is may be stored, and then read.
    var isDue: () -> Void = {}

    let log: EventLog
    /// Says lines into it.
    let publisher: Publisher
    private let journal: HostJournal
    private let loop: any Loop

    /// The logs of all translations of an event, which go on where earlier runs have left them, and are
    /// served from now on.
    ///
    /// - Parameter shelf: nil where the event can have no other logs.
    /// - Returns: none where they cannot be signed.
    static func open(
        _ configuration: HostConfiguration, on shelf: Shelf?, in surroundings: any Surroundings
    ) throws(StartError) -> [TranslationLog] {
        guard let shelf else { return [] }
        var logs: [TranslationLog] = []
        for translation in configuration.translations {
            guard
                let log = try open(
                    translation.language, configuration, in: shelf.order, surroundings)
            else { return [] }
            logs.append(log)
        }
        logs.forEach { shelf.write($0.log) }
        return logs
    }

    /// What was kept and cannot be gone on with stays where it is.
    private static func open(
        _ language: String, _ configuration: HostConfiguration, in order: EventOrder,
        _ surroundings: any Surroundings
    ) throws(StartError) -> TranslationLog? {
        if let stored = configuration.storedTranslation(into: language) {
            let resumed = configuration.translating(into: language, in: .resumed(stored))
            if let log = try? TranslationLog(resumed, in: order, surroundings) {
                return log
            }
        }
        let new = configuration.translating(into: language, in: configuration.newTranslation)
        return try TranslationLog(new, in: order, surroundings)
    }

    /// - Returns: nil where it cannot be signed.
    private init?(
        _ configuration: HostConfiguration, in order: EventOrder, _ surroundings: any Surroundings
    ) throws(StartError) {
        loop = surroundings.network.loop
        let signing = try needed(HostSigning(configuration), orElse: StartError.cannotSecure)
        let transcript = signing.emptyTranscript()
        let recovered = try needed(
            RecoveredTranscript.load(configuration, into: transcript, provenBy: signing.verifier),
            orElse: StartError.cannotBegin)
        let (log, unsigned) = signing.log(
            holding: recovered?.transcript ?? transcript,
            isProven: recovered?.isProven ?? true, in: order, now: loop.now)
        guard unsigned == nil else { return nil }
        self.log = log
        publisher = Publisher(into: log, masking: configuration.wordMask)
        journal = HostJournal(log, configuration, in: surroundings)
        journal.isDue = { [unowned self] _ in isDue() }
    }

    /// Opens its files, before anything is given out.
    func keep() throws(SystemError) { _ = try journal.open(port: nil) }

    /// Stores what was said, so that it may be shown. What the disk does not take is told of the main log,
    /// which is on the same one.
    func store() { _ = journal.store() }

    /// Its event ends, or its host stops.
    func end(_ kind: Alert.Kind, _ message: String) {
        log.end(kind, message, now: loop.now)
        store()
    }

    /// Stores the rest, and how the run ended, and waits for the disk.
    func close(_ state: SessionRecord.State, guests: Int) {
        _ = journal.close(state, guests: guests)
    }
}

extension HostConfiguration {
    /// A translation of this event, as the log of a host that does nothing else.
    fileprivate func translating(into language: String, in storage: Storage) -> HostConfiguration {
        var translation = self
        translation.session = UUID()
        if case .resumed(let stored) = storage,
            let session = UUID(uuidString: stored.record.session)
        {
            translation.session = session
        }
        translation.contribution = SessionRecord.Contribution(
            translating: session.wireName, into: language)
        (translation.storage, translation.regained) = (storage, nil)
        translation.history = min(history, Limits.shelvedLog)
        return translation
    }

    /// What an earlier run of the event has left of a translation; nil for nothing.
    fileprivate func storedTranslation(into language: String) -> StoredSession? {
        guard case .resumed = storage, let store = otherLogs,
            let entries = try? store.list()
        else { return nil }
        let wanted = SessionRecord.Contribution(translating: session.wireName, into: language)
        let mine = entries.filter {
            $0.record.contribution == wanted && $0.record.writer == security.fingerprint
                && !$0.isInUse
        }
        return mine.max { $0.touched < $1.touched }.flatMap { try? store.open($0.record.session) }
    }

    /// Where a translation is kept of which there is nothing yet.
    fileprivate var newTranslation: Storage {
        switch storage {
        case .none: .none
        case .new(let store): .new(store)
        case .resumed: otherLogs.map { .new($0) } ?? .none
        }
    }
}
