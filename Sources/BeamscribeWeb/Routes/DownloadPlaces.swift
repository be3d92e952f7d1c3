import BeamscribeCore

/// Who gets a transcript, a few at a time, and who gives way to a newcomer where all places are
/// taken: first whoever has taken nothing for ``Limits/downloadStalled``; then the newest of the
/// source that has the most, for a source that has fewer; then whoever has been at it for
/// ``Limits/downloadTurn``. Nobody is disturbed while nobody waits, however slow.
///
/// Invariant: `crowd` has those of `records`, at most `limit`.
struct DownloadPlaces {
    private struct Record {
        let began: Duration
        var progressed: Duration
    }

    private let limit: Int
    private var crowd = SourceCrowd<Int>()
    private var records: [Int: Record] = [:]
    private var nextID = 1

    init(limit: Int = Limits.downloads) {
        self.limit = limit
    }

    var count: Int { records.count }

    /// A place for a newcomer, and who has to go for it; nil where nobody has to.
    mutating func take(from source: String, now: Duration) -> (id: Int, insteadOf: Int?)? {
        var other: Int?
        if records.count >= limit {
            guard let found = whoGivesWay(to: source, now: now) else { return nil }
            other = found
            leave(found)
        }
        defer { nextID += 1 }
        crowd.add(nextID, from: source)
        records[nextID] = Record(began: now, progressed: now)
        return (nextID, other)
    }

    private func whoGivesWay(to source: String, now: Duration) -> Int? {
        let stalled = records.filter { now - $0.value.progressed >= Limits.downloadStalled }
        let oldest = records.filter { now - $0.value.began >= Limits.downloadTurn }
        return stalled.min { ($0.value.progressed, $0.key) < ($1.value.progressed, $1.key) }?.key
            ?? crowd.yielding(to: source)
            ?? oldest.min { ($0.value.began, $0.key) < ($1.value.began, $1.key) }?.key
    }

    /// Some of it was taken.
    mutating func progressed(_ id: Int, now: Duration) { records[id]?.progressed = now }

    mutating func leave(_ id: Int) {
        records[id] = nil
        crowd.remove(id)
    }
}
