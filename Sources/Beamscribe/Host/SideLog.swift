import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// One more log of a signed event which the host writes, and signs as it does the main one: a translation of that, or
/// what one who talks has said. It goes on, and ends, with the event.
///
/// Invariant: what it has was said by its publisher, in this run or an earlier one, and nothing is said after its end.
final class SideLog {
    /// Told when what there is may be stored, and then read.
    var isDue: () -> Void = {}

    let log: EventLog
    /// Says lines into it.
    let publisher: Publisher
    private let journal: HostJournal
    private let loop: any Loop
    /// What is to be known of the disk, and was not told yet.
    private var news: [HostEvent] = []

    /// - Parameter configuration: that of a host that writes nothing else.
    /// - Returns: nil where it cannot be signed.
    init?(
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
        journal.isDue = { [unowned self] events in
            news += events
            isDue()
        }
    }

    /// Opens its files, before anything is given out.
    func keep() throws(SystemError) { news += try journal.open(port: nil) }

    /// Stores what was said, so that it may be shown.
    ///
    /// - Returns: what is to be known of the disk.
    func store() -> [HostEvent] {
        defer { news = [] }
        return news + journal.store()
    }

    /// Has its record keep the places that are marked in it.
    func noteMarks() { journal.noteMarks() }

    /// How many of its lines the disk does not have, and cannot take for now.
    var unsavedLines: Int {
        guard log.isFailing(.disk), let saved = log.place(of: .disk)?.lastSeq else { return 0 }
        return log.lastSeq - saved
    }

    /// Its event ends, or its host stops.
    func end(_ kind: Alert.Kind, _ message: String) {
        log.end(kind, message, now: loop.now)
        news = store()
    }

    /// Stores the rest, and how the run ended, and waits for the disk.
    func close(_ state: SessionRecord.State, guests: Int) {
        _ = journal.close(state, guests: guests)
    }
}
