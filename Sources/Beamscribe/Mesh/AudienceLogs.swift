import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// The logs of a node of a mesh that are not for everybody: one for each audience that something was said to.
///
/// They are in memory alone, here and at their readers, but for what those keep.
///
/// Invariant: each is for those whose keys its record names, and there are at most ``Limits/audiences``.
final class AudienceLogs {
    private struct Audience {
        let readers: [Fingerprint]
        let label: String
        let created: Double
        let log: EventLog
        let publisher: Publisher
    }

    private let signing: HostSigning
    private let shelf: Shelf
    private var all: [Audience] = []

    init(by signing: HostSigning, on shelf: Shelf) {
        (self.signing, self.shelf) = (signing, shelf)
    }

    /// Says a line to some.
    ///
    /// - Parameters:
    ///   - readers: their keys.
    ///   - label: what the log is called that they read.
    /// - Returns: the log, and the line's number; nil where it cannot be said.
    func say(
        _ text: String, to readers: [Fingerprint], as label: String, in event: UUID, now: Moment
    ) -> (log: EventLog, seq: Int)? {
        let readers = readers.sorted { $0.hex < $1.hex }
        guard let audience = audience(of: readers, label, event, now) else { return nil }
        audience.publisher.publish(final: Caption(text: text), now: now)
        audience.log.seal()
        return (audience.log, audience.log.lastSeq)
    }

    private func audience(
        of readers: [Fingerprint], _ label: String, _ event: UUID, _ now: Moment
    ) -> Audience? {
        if let known = all.first(where: { $0.readers == readers }) { return known }
        // Two that are begun at once would be one.
        let newest = all.map(\.created).max() ?? 0
        let created = BoundSession.rounded(max(now.wall, newest + 0.001))
        guard all.count < Limits.audiences,
            let log = signing.log(
                for: readers, as: label, in: event, begunAt: created, shelf.order, now: now)
        else { return nil }
        let new = Audience(
            readers: readers, label: label, created: created, log: log,
            publisher: Publisher(into: log))
        all.append(new)
        shelf.write(log)
        return new
    }

    /// They are of another event from now on.
    func move(to event: UUID) {
        for each in all {
            let writer = signing.writer(
                of: each.log.session, for: each.readers, as: each.label, in: event,
                begunAt: each.created, number: each.log.recordNumber + 1)
            writer.map(each.log.reintroduce)
        }
    }

    /// This node leaves.
    func end(_ kind: Alert.Kind, _ message: String, now: Moment) {
        for each in all { each.log.end(kind, message, now: now) }
    }
}
