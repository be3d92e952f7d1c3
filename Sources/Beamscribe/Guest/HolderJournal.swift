import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Keeps on the disk what a guest holds of events for their hosts, one after the other.
///
/// Invariant: one log is kept at a time, the one that was stored last.
final class HolderJournal {
    /// Told when the disk has answered, or is to be tried again.
    var isDue: () -> Void = {} {
        didSet { current?.journal.isDue = isDue }
    }

    private let keeping: HeldLogJournal.Keeping
    private let news: EventBuffer<HolderNews>
    private let surroundings: any Surroundings
    private let crypto: LogSHA256
    private var current: (session: UUID, journal: HeldLogJournal)?
    private var isClosed = false

    /// - Parameter kept: what is gone on with.
    init(
        _ keeping: HoldingConfiguration.Keeping, _ configuration: HoldingConfiguration,
        after kept: KeptLog?, telling news: EventBuffer<HolderNews>,
        in surroundings: any Surroundings
    ) throws(TLSError) {
        self.keeping = keeping.held(by: configuration)
        (self.news, self.surroundings) = (news, surroundings)
        crypto = try LogSHA256()
        guard let kept else { return }
        begin(kept.held.log.session, after: kept)
        news.push([.takenUp(TakenUp(kept, isMet: false))])
    }

    /// Stores what has come, before anybody is served with it.
    func store(_ log: EventLog, of event: JoinedEvent) {
        guard !isClosed else { return }
        if current?.session != log.session {
            current?.journal.close()
            begin(log.session, after: nil)
        }
        current?.journal.store(log, of: event)
    }

    private func begin(_ session: UUID, after kept: KeptLog?) {
        let journal = HeldLogJournal(keeping, after: kept, by: crypto, in: surroundings)
        journal.isDue = isDue
        journal.tell = { [news] in news.push($0.forHolder(of: session)) }
        current = (session, journal)
    }

    /// Memory has let go of lines that the disk never got.
    func note(_ events: [HostEvent]) { news.push(HeldLogJournal.News.storage(events).forHolder()) }

    /// Stores the rest; nothing is stored any more.
    func close() {
        current?.journal.close()
        (current, isClosed) = (nil, true)
    }
}

extension HoldingConfiguration.Keeping {
    /// How a machine keeps the logs that it holds.
    func held(by configuration: HoldingConfiguration) -> HeldLogJournal.Keeping {
        HeldLogJournal.Keeping(
            store: store, age: age?.seconds, address: address,
            deviceName: configuration.deviceName, timing: configuration.timing)
    }
}

extension HeldLogJournal.News {
    /// It in the words of who holds the event, and has asked for it to be kept.
    fileprivate func forHolder(of session: UUID? = nil) -> [HolderNews] {
        switch self {
        case .begun: session.map { [.keeping(session: $0.wireName)] } ?? []
        case .takenUp(let kept): [.takenUp(TakenUp(kept, isMet: true))]
        case .notKept(let trouble): [.notKept(trouble)]
        case .storage(let events): events.filter(\.isOfStorage).map { .storage($0) }
        }
    }
}

extension HostEvent {
    fileprivate var isOfStorage: Bool {
        switch self {
        case .storageFailed, .storageRestored, .storageGap: true
        default: false
        }
    }
}
