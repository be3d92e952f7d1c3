import Beamscribe
import BeamscribeCore

/// The logs of an event that phones read, each with its own phones.
///
/// Invariant: a log that is there has one hall, made for the first phone that asks for it.
actor PhoneHalls {
    /// One log, and who reads it.
    struct Hall: Sendable {
        let source: FeedSource
        let hub: PhoneHub
    }

    /// The main log's.
    nonisolated let main: Hall
    private let executor: WebExecutor
    private let places: PhonePlaces
    /// Those of other logs, by their ids.
    private var others: [String: Hall] = [:]
    private var isEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ source: FeedSource, on executor: WebExecutor, maximum: Int) {
        self.executor = executor
        places = PhonePlaces(maximum: maximum)
        main = Hall(source: source, hub: PhoneHub(source, on: executor, in: places))
    }

    func begin() async { await main.hub.begin() }

    /// The hall of the log that a browser asks for by its id or its name; the main log's where there is
    /// none of that name, or not yet.
    func hall(of name: String?) async -> Hall {
        guard let name, let source = await main.source.other(named: name), let log = source.log,
            !isEnded
        else { return main }
        let known = others[log.session]
        if let known, known.source.isSame(as: source) { return known }
        let hall = Hall(source: source, hub: PhoneHub(source, on: executor, in: places))
        others[log.session] = hall
        // The log had been let go, and is there again.
        await known?.hub.end()
        await hall.hub.begin()
        return hall
    }

    private var all: [PhoneHub] { [main.hub] + others.values.map(\.hub) }

    /// Lets everybody know that the host is there.
    func tellBeat() async { for hub in all { await hub.tellBeat() } }

    func end() async {
        isEnded = true
        for hub in all { await hub.end() }
    }

    // MARK: Figures

    var count: Int { get async { await sum { await $0.count } } }

    /// The phones that ever came.
    var arrivals: Int { get async { await sum { await $0.arrivals } } }

    var sentBytes: Int { get async { await sum { await $0.sentBytes } } }

    private func sum(_ figure: (PhoneHub) async -> Int) async -> Int {
        var sum = 0
        for hub in all { sum += await figure(hub) }
        return sum
    }
}
