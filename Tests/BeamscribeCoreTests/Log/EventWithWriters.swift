import FoundationEssentials

@testable import BeamscribeCore

/// An event whose founder lets another writer in, whose log goes through the founder to all readers.
protocol EventWithWriters {}

extension EventWithWriters {
    var founder: ToyCrypto { ToyCrypto("founder") }
    var writer: ToyCrypto { ToyCrypto("writer") }
    var event: UUID { UUID(uuidString: "6265616d-7363-4269-a265-000000000001")! }
    var second: UUID { UUID(uuidString: "6265616d-7363-4269-a265-000000000002")! }

    /// The founder's room, into whose event these writers are let.
    func room(
        _ admission: WriterAdmission = .everybody, seed: UInt64 = 1, history: Int = Limits.history
    ) -> VirtualRoom {
        room(on: foundersShelf(admission), seed: seed, history: history)
    }

    func foundersShelf(
        _ admission: WriterAdmission = .everybody, refusing refused: [FingerprintPin] = []
    ) -> Shelf {
        Shelf(
            founding: Shelf.Event(event, foundedBy: ToyVerifier(crypto: founder)), by: founder,
            proving: founder, admitting: admission, refusing: refused,
            order: EventOrder())
    }

    func room(
        on shelf: Shelf, seed: UInt64 = 1, history: Int = Limits.history
    ) -> VirtualRoom {
        let transcript = Transcript(
            limit: history, chunkSize: min(history / 2, Limits.chunk),
            hashing: LineChain(of: event, by: founder))
        let log = founder.log(
            event, SessionRuns(), now: VirtualRoom.beginning, holding: transcript, in: shelf.order)
        return VirtualRoom(serving: log, others: shelf, seed: seed, proving: founder.security)
    }

    /// A guest that reads all logs, and is there.
    func reader(
        _ room: VirtualRoom, _ name: String = "Ann", from start: GuestSession.Start = .beginning,
        keepsOthers: Bool = false
    ) -> (VirtualGuest, Shelf) {
        let shelf = Shelf(proving: ToyCrypto(), isKept: keepsOthers, from: start)
        let guest = room.guest(
            name, start: start, keeping: keepsOthers ? Replica() : nil, of: founder, others: shelf)
        room.connect(guest)
        return (guest, shelf)
    }

    /// The second writer, by his own guest.
    func contributor(
        _ room: VirtualRoom, _ log: EventLog? = nil, as name: String = "Ben"
    ) -> Contributor {
        let guest = reader(room, name).0
        let log = log ?? writer.log(second, of: event, as: "Room 2", now: room.now)
        room.offer(log, through: guest)
        return Contributor(room: room, guest: guest, log: log)
    }
}

/// The second writer, and who takes what he says to the founder.
final class Contributor {
    let room: VirtualRoom
    let guest: VirtualGuest
    let log: EventLog
    /// How much his clock is ahead of others', in seconds.
    var clockError = 0.0
    private let publisher: Publisher

    init(room: VirtualRoom, guest: VirtualGuest, log: EventLog) {
        (self.room, self.guest, self.log) = (room, guest, log)
        publisher = Publisher(into: log)
    }

    private var now: Moment {
        Moment(uptime: room.now.uptime, wall: room.now.wall + clockError)
    }

    func say(_ texts: String..., as line: String? = nil) { say(texts[...], as: line) }

    func say(_ texts: ArraySlice<String>, as line: String? = nil) {
        for text in texts {
            publisher.publish(final: Caption(text: text, line: line), now: now)
        }
        log.seal()
        room.changed(through: guest)
    }

    func whisper(_ text: String) {
        publisher.publish(partial: Caption(text: text), now: now)
        log.seal()
        room.changed(through: guest)
    }

    /// Calls his log something else from now on.
    func rename(to label: String, number: Int) {
        guard var record = WrittenLog.introduction(log.record) else { return }
        (record.label, record.number) = (label, number)
        let crypto = ToyCrypto("writer")
        let writer = LogWriter(
            of: log.session, run: log.runs.current, as: record, by: crypto, hashing: crypto)
        writer.map(log.reintroduce)
        room.changed(through: guest)
    }

    func correct(_ line: String, to text: String) {
        publisher.publish(correction: Caption(text: text, line: line), now: now)
        log.seal()
        room.changed(through: guest)
    }
}

extension VirtualGuest {
    func events(of session: UUID) -> [GuestEvent] {
        events.compactMap {
            if case .inLog(let log, let event) = $0, log.session == session.wireName {
                event
            } else {
                nil
            }
        }
    }

    /// The finals of another log than the main one.
    func lines(of session: UUID) -> [TranscriptLine] {
        events(of: session).compactMap { if case .line(let line) = $0 { line } else { nil } }
    }

    func texts(of session: UUID) -> [String] { lines(of: session).map(\.text) }

    func lastPartial(of session: UUID) -> String? {
        events(of: session).compactMap {
            if case .partial(let partial) = $0 { partial.text } else { nil }
        }.last
    }

    func title(of session: UUID) -> LogTitle? { titles(of: session).last }

    /// As which the guest was told it, again and again.
    func titles(of session: UUID) -> [LogTitle] { standings(of: session).map(\.0) }

    func standing(of session: UUID) -> LogStanding? { standings(of: session).last?.1 }

    private func standings(of session: UUID) -> [(LogTitle, LogStanding)] {
        events.compactMap {
            if case .log(let log, let standing) = $0, log.session == session.wireName {
                (log, standing)
            } else {
                nil
            }
        }
    }
}
