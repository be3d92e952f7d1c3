import Beamscribe
import BeamscribeCore

/// The logs of an event that phones read, each with its own phones, and so each choice of several.
///
/// Invariant: what is read has one hall, made for the first phone that asks for it; there are at most
/// ``Limits/feedSelections`` of several logs, and one of all.
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
    private var together: [FeedSelection: Hall] = [:]
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

    /// The hall of what a browser asks for by these words (``FeedSelection``), or of the one log with this
    /// id or name; the main log's where there is none of that name, or not yet.
    func hall(of words: [String]) async -> Hall {
        if let selection = FeedSelection(words) { return await hall(of: selection) }
        guard let name = words.first, name != FeedSelection.floor,
            let source = await main.source.other(named: name), let log = source.log,
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

    private func hall(of selection: FeedSelection) async -> Hall {
        if let known = together[selection] { return known }
        await makeRoom()
        let isFull =
            together[.everything] == nil
            ? together.count >= Limits.feedSelections
            : together.count > Limits.feedSelections
        let selection = isFull ? .everything : selection
        let source = await main.source.together(selection)
        // Another phone may have asked for it meanwhile.
        if let known = together[selection] { return known }
        guard !isEnded else { return main }
        let hall = Hall(source: source, hub: PhoneHub(source, on: executor, in: places))
        together[selection] = hall
        await hall.hub.begin()
        return hall
    }

    /// Where there are too many, those that nobody reads go.
    private func makeRoom() async {
        guard together.count >= Limits.feedSelections else { return }
        for (selection, hall) in together where await hall.hub.count == 0 {
            together[selection] = nil
            await hall.hub.end()
        }
    }

    private var all: [PhoneHub] {
        [main.hub] + others.values.map(\.hub) + together.values.map(\.hub)
    }

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

    /// How many finals of the main log the phone that is farthest behind has not got, where the newest is
    /// `last`.
    func lag(behind last: Int) async -> Int {
        var lag = await main.hub.lag(behind: last)
        for hall in together.values { lag = max(lag, await hall.hub.lag(behind: last)) }
        return lag
    }

    private func sum(_ figure: (PhoneHub) async -> Int) async -> Int {
        var sum = 0
        for hub in all { sum += await figure(hub) }
        return sum
    }
}
