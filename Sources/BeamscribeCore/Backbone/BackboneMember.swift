public import FoundationEssentials

/// Takes what others write in a mesh from a server that keeps it, as one more link of a node's shelf.
///
///     BackboneReader ---- log, grant, head, in, fullHistory, liveChunk ----> Shelf
///     BackboneReader <---- read, unread ------------------------------------ Shelf
///
/// Of a log that breaks a rule there nothing more is taken until the server comes back: others do no worse for it.
///
/// Invariant: the shelf is given whole packets, in the order in which the reader gives them.
public final class BackboneMember {
    private let shelf: Shelf
    private let reader: BackboneReader
    private let packets = PacketDecoder()
    /// Logs of which nothing is taken.
    private var barred: Set<String> = []
    /// Of which log the captions are that come now.
    private var current = ""
    private var isReading = false

    /// - Parameter event: the event's id, in which everybody may write.
    public init(of event: UUID, on shelf: Shelf, proving crypto: any LogCrypto) {
        self.shelf = shelf
        reader = BackboneReader(of: event, isOpen: true, proving: crypto)
    }

    /// The server has said something.
    public func take(_ event: BackboneEvent, now: Moment) -> [BackboneRequest] {
        if case .connected = event {
            barred = []
            if !isReading {
                isReading = true
                reader.begin()
            }
        }
        return reader.take(event, now: now.uptime) + follow(now: now)
    }

    /// Time has passed.
    public func tick(now: Moment) -> [BackboneRequest] {
        reader.tick(now: now.uptime) + follow(now: now)
    }

    /// Nothing is read any more.
    public func end(now: Moment) -> [BackboneRequest] {
        isReading = false
        leave(shelf.ended(.backbone, now: now))
        return reader.end()
    }

    /// Gives the shelf what has come, and asks for what that wants.
    private func follow(now: Moment) -> [BackboneRequest] {
        var requests: [BackboneRequest] = []
        repeat {
            let frames = reader.takeOutput()
            frames.withUnsafeBytes { frames in
                var walk = FrameWalk(frames)
                while let payload = walk.next() { take(payload, now: now) }
            }
            if !frames.isEmpty { settle(now: now) }
            for packet in shelf.takeUnsaid(to: .backbone) {
                switch packet {
                case .read(let request): requests += reader.read(request, now: now.uptime)
                case .unread(let mention): requests += reader.unread(mention)
                default: break
                }
            }
        } while reader.waitingBytes > 0
        return requests
    }

    private func take(_ payload: UnsafeRawBufferPointer, now: Moment) {
        guard let packet = try? packets.packet(payload) else { return }
        let session = packet.session ?? current
        guard !barred.contains(session) else { return }
        var outcomes: [Shelf.Outcome] = []
        do throws(GuestViolation) {
            switch packet {
            case .log(let record):
                outcomes += try shelf.take(record, as: payload, from: .backbone, now: now)
            case .grant(let grant):
                outcomes += try shelf.take(grant, as: payload, from: .backbone, now: now)
            case .head(let head):
                try shelf.take(head, as: payload, from: .backbone, now: now, &outcomes)
            case .inLog(let mention):
                current = mention.session
                shelf.take(mention, from: .backbone)
            case .fullHistory(let history):
                try shelf.take(
                    history, from: .backbone, onGap: .askOthers, now: now, &outcomes)
            case .liveChunk(let chunk):
                try shelf.take(chunk, as: payload, from: .backbone, now: now, &outcomes)
            default: break
            }
        } catch {
            barred.insert(session)
            outcomes += shelf.ended(.backbone, now: now)
        }
        leave(outcomes)
    }

    private func settle(now: Moment) {
        var outcomes: [Shelf.Outcome] = []
        do throws(GuestViolation) {
            try shelf.settle(.backbone, mayWait: true, now: now, &outcomes)
        } catch {
            barred.insert(current)
            outcomes += shelf.ended(.backbone, now: now)
        }
        leave(outcomes)
    }

    private func leave(_ outcomes: [Shelf.Outcome]) {
        for case .event(let event) in outcomes { shelf.leave(event) }
    }
}

extension Packet {
    /// The log that it names; nil for none.
    fileprivate var session: String? {
        switch self {
        case .log(let record): record.session
        case .grant(let grant): grant.session
        case .head(let head): head.session
        case .inLog(let mention): mention.session
        case .fullHistory(let history): history.session
        default: nil
        }
    }
}
