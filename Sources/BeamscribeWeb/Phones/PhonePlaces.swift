import BeamscribeCore

/// How many phones there may be, whichever of an event's logs they read.
///
/// Where all places are taken, the newest phone of the source that has the most gives way to one of
/// a source that has fewer: those who have read for long are the last to be disturbed. It is told
/// that there is no room when it asks again, and pushes out nobody (``SourceCrowd/yielding(to:)``).
/// Phones that come by a proxy that is not named are one source.
///
/// It is used on its hubs' loop alone.
///
/// Invariant: `seats` has those of `hubs`, at most `maximum`.
final class PhonePlaces: @unchecked Sendable {
    private let maximum: Int
    private var seats = SourceCrowd<Int>()
    /// Where the phones are that have a place.
    private var hubs: [Int: PhoneHub] = [:]
    private var nextID = 1

    init(maximum: Int) { self.maximum = maximum }

    func hasRoom(for source: String) -> Bool {
        hubs.count < maximum || seats.yielding(to: source) != nil
    }

    /// A place for a phone that comes from `source` to read at `hub`.
    ///
    /// - Returns: its number; nil where there is no room.
    func take(for hub: PhoneHub, from source: String) -> Int? {
        if hubs.count >= maximum {
            guard let id = seats.yielding(to: source), let other = hubs[id] else { return nil }
            other.assumeIsolated { $0.sendAway(id) }
        }
        let id = nextID
        nextID += 1
        seats.add(id, from: source)
        hubs[id] = hub
        return id
    }

    func giveBack(_ id: Int) {
        seats.remove(id)
        hubs[id] = nil
    }
}
