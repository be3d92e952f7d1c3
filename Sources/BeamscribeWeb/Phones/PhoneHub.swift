import Beamscribe
import BeamscribeCore
import FoundationEssentials
import NIOCore

/// The phones that read, and what is new for them.
///
/// The host gives what is new once; a phone that was up to date gets just that, the same bytes for
/// all. One that was not (it came late, or takes what it gets slowly) reads on from its position in
/// the host's transcript. Nothing is queued for anybody; pieces of the history that several read at
/// about the same time are shared, too.
///
/// Who waits gets what is new from here, by its lane: to wake a task for each would cost more than
/// all the rest. Its task goes on where the phone is behind, or its lane is full or gone.
///
/// Invariant: `newest` is the last batch of the feed, and a phone waits only while it has all that
/// the feed has given, and its lane all that its task has written; the `phones` have places.
actor PhoneHub {
    private let host: FeedSource
    private let executor: WebExecutor
    private let places: PhonePlaces
    private let encoder: EventStreamEncoder
    private var newest: FeedBatch?
    private var newestBytes = ByteBuffer()
    /// Counts the feed's batches.
    private var generation = 0
    private var pieces = SharedPieces()
    private var beat = ByteBuffer()
    private var beats = 0
    private var phones: [Int: Phone] = [:]
    /// Nobody can come any more.
    private var isEnded = false
    private(set) var sentBytes = 0
    /// The phones that ever came.
    private(set) var arrivals = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ host: FeedSource, on executor: WebExecutor, in places: PhonePlaces) {
        self.host = host
        self.executor = executor
        self.places = places
        encoder = EventStreamEncoder(numbersFinals: host.selection == nil)
    }

    func begin() async {
        let (hub, host, loop) = (self, host, executor.loop)
        await host.openFeed(encoder) { batch in
            loop.execute {
                hub.assumeIsolated { $0.take(batch) }
                Task { await host.feedTaken() }
            }
        }
    }

    func hasRoom(for source: String) -> Bool { !isEnded && places.hasRoom(for: source) }

    var count: Int { phones.count }

    /// How many finals of the first log the phone that is farthest behind has not got, where the newest is
    /// `last`.
    func lag(behind last: Int) -> Int {
        phones.values.reduce(0) { max($0, last + 1 - $1.position.seq) }
    }

    // MARK: A phone's way

    /// Takes a phone in that begins at `position` and reads by `lane`, which is one of this loop's.
    ///
    /// - Returns: its number, or nil where there is no room.
    func arrive(at position: FeedPlace, by lane: StreamLane, from source: String) async -> Int? {
        guard !isEnded, let id = places.take(for: self, from: source) else { return nil }
        arrivals += 1
        phones[id] = Phone(lane: lane, position: position, beat: beats)
        await host.note(phones: phones.count)
        return id
    }

    /// Ends a phone's stream. One that takes nothing would hold its task for long.
    func sendAway(_ id: Int) {
        remove(id)?.lane.closeWhereFull()
    }

    @discardableResult
    private func remove(_ id: Int) -> Phone? {
        places.giveBack(id)
        var phone = phones.removeValue(forKey: id)
        phone?.wake()
        return phone
    }

    func leave(_ id: Int) async {
        remove(id)
        await host.note(phones: phones.count)
    }

    /// What a phone gets next, once there is something; nil when nothing follows any more.
    func next(for id: Int) async -> ByteBuffer? {
        while let phone = phones[id], !phone.isOver, !Task.isCancelled {
            if let newest, newest.start == phone.position {
                return give(newest, newestBytes, to: id)
            }
            if phone.beat < beats {
                phones[id]?.beat = beats
                return beat
            }
            if let piece = pieces[phone.position] {
                phones[id]?.position = piece.end
                sentBytes += piece.bytes.readableBytes
                return piece.bytes
            }
            if newest?.end != phone.position {
                let before = generation
                let batch = await host.feed(from: phone.position, by: encoder)
                if !batch.bytes.isEmpty { return share(batch, with: id) }
                note(batch, of: id)
                // What came meanwhile may be more.
                guard before == generation, batch.outcome != .over else { continue }
            }
            await wait(id)
        }
        return nil
    }

    /// Until there is something for the phone, or it has gone: it may have while the host was asked.
    private func wait(_ id: Int) async {
        await withCheckedContinuation { waiter in
            guard phones[id] != nil else { return waiter.resume() }
            phones[id]?.waiter = waiter
        }
    }

    /// Gives a phone what it has read from the history, and keeps it for others.
    private func share(_ batch: FeedBatch, with id: Int) -> ByteBuffer {
        let bytes = ByteBuffer(bytes: batch.bytes)
        if batch.outcome == .more {
            pieces.add(.init(bytes: bytes, end: batch.end), at: batch.start)
        }
        return give(batch, bytes, to: id)
    }

    private func give(_ batch: FeedBatch, _ bytes: ByteBuffer, to id: Int) -> ByteBuffer {
        note(batch, of: id)
        sentBytes += bytes.readableBytes
        return bytes
    }

    private func note(_ batch: FeedBatch, of id: Int) {
        phones[id]?.position = batch.end
        phones[id]?.isOver = batch.outcome == .over
    }

    // MARK: News

    private func take(_ batch: FeedBatch) {
        generation += 1
        newest = batch
        newestBytes = ByteBuffer(bytes: batch.bytes)
        guard !batch.bytes.isEmpty else {
            // There is another log: whoever reads this one comes back, and says what it has of which.
            return tellAll { phone in
                phone.isOver = phone.position == batch.end && batch.outcome == .over
                return false
            }
        }
        let chunk = StreamLane.chunk(batch.bytes)
        tellAll { phone in
            guard phone.position == batch.start, phone.lane.send(chunk) else { return false }
            phone.position = batch.end
            phone.isOver = batch.outcome == .over
            sentBytes += newestBytes.readableBytes
            return !phone.isOver
        }
    }

    /// Lets everybody know that the host is there.
    func tellBeat() async {
        let now = await host.greeting()
        let pulse = Pulse(
            timestamp: now.timestamp, inputAge: now.inputAge, lastSeq: now.lastSeq,
            standIn: now.standIn, state: now.state, unheard: now.unheard, also: now.also,
            logs: now.logs)
        // Encoding fails for numbers that are not finite only, and clocks' are.
        guard let json = try? JSONEncoder().encode(pulse) else { return }
        let bytes = EventStreamEncoder.event("beat", json: json)
        let chunk = StreamLane.chunk(bytes)
        beat = ByteBuffer(bytes: bytes)
        beats += 1
        tellAll { phone in
            guard phone.lane.send(chunk) else { return false }
            phone.beat = beats
            return true
        }
    }

    private struct Pulse: Encodable {
        var timestamp: Double
        var inputAge: Double
        var lastSeq: Int
        var standIn: String?
        var state: String?
        var unheard: Double?
        var also: [String]?
        var logs: [FeedLog]?
    }

    /// Gives something to everybody who waits, and wakes those whom `give` could not.
    private func tellAll(_ give: (inout Phone) -> Bool) {
        var index = phones.startIndex
        while index != phones.endIndex {
            if phones.values[index].waiter != nil, !give(&phones.values[index]) {
                phones.values[index].wake()
            }
            phones.formIndex(after: &index)
        }
    }

    func end() async {
        isEnded = true
        await host.closeFeed()
        for id in Array(phones.keys) { remove(id) }
    }
}
