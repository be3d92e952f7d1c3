import BeamscribeCore
import FoundationEssentials

/// An event's log, who says lines into it, and the room in which it is read.
final class VirtualHost {
    let log: EventLog
    let publisher: Publisher
    let room: Room

    convenience init(
        _ transcript: Transcript = Transcript(), session: UUID = UUID(),
        masking mask: WordMask? = nil, maximumGuests: Int = 1_024, seed: UInt64 = 1, now: Moment
    ) {
        self.init(
            EventLog(session: session, transcript: transcript, now: now), masking: mask,
            maximumGuests: maximumGuests, seed: seed)
    }

    init(
        _ log: EventLog, others shelf: Shelf? = nil, masking mask: WordMask? = nil,
        maximumGuests: Int = 1_024, seed: UInt64 = 1
    ) {
        self.log = log
        publisher = Publisher(into: log, masking: mask)
        room = Room(
            Room.Configuration(
                eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
                maximumGuests: maximumGuests),
            serving: log, others: shelf, seed: seed)
    }
}
