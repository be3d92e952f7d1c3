/// A log that is offered to whoever serves its event, and what of it goes there.
///
/// Invariant: what is given out are whole frames of a signed log: what lets it in, its record, heads, and
/// once the other side reads it its lines, each once and in order.
final class OfferedLog {
    let log: EventLog
    private let encoder = FrameEncoder()
    private var control = ByteQueue()
    /// How far the other side has it; nil while it does not read it.
    private var reader: Reader?
    /// The lines that the other side had not got when the event ended; nil for none.
    private(set) var notTaken: ClosedRange<Int>?
    /// What it was told last of how the log stands.
    private var told: Told?
    private var toldRecord: ToldRecord?
    /// What lets the log in, and what shows that it is forked, as it was told that.
    private var grant: [UInt8]?
    private var fork: [UInt8]?

    private struct Told {
        let seq: Int
        let at: Duration
        let head: [UInt8]
        /// What it says, where another has written it.
        let said: LogHead?
    }

    init(_ log: EventLog) { self.log = log }

    /// Whether the other side reads it.
    var isRead: Bool { reader != nil }

    /// There is another connection: the log is introduced, where that can be done. Of another's log not all may
    /// be here yet of which its writer has told.
    ///
    /// - Parameter grant: what lets it in, as a packet, where the other side may not know of that.
    func begin(lettingIn grant: [UInt8]? = nil, _ timing: Timing, now: Moment) {
        end()
        guard let record = log.record, let head = log.head(timing, now: now) else { return }
        grant.map { control.append(FrameEncoder.frame($0)) }
        self.grant = grant
        control.append(record)
        toldRecord = ToldRecord(record, at: now.uptime)
        control.append(head)
        told = Told(
            seq: log.lastSeq, at: now.uptime - Self.tellingInterval, head: head,
            said: log.heldHead)
        notTaken = nil
    }

    /// Whether the other side was told of it.
    var isIntroduced: Bool { told != nil }

    /// The connection is gone.
    func end() {
        (control, reader, told, toldRecord) = (ByteQueue(), nil, nil, nil)
        (grant, fork) = (nil, nil)
    }

    /// The other side wants its lines.
    ///
    /// - Returns: whether it did not before.
    func take(_ request: ReadRequest) -> Bool {
        guard request.session == log.session.wireName else { return false }
        let isNews = reader == nil
        let valid = log.runs.valid(through: request.after, of: request.run)
        let after = min(max(valid, 0), log.lastSeq)
        guard request.over != true else {
            (notTaken, reader) = (after < log.lastSeq ? after + 1...log.lastSeq : nil, nil)
            return false
        }
        var reader = log.reader(after: after)
        // What memory has let go is not promised first.
        _ = reader.gap(in: log)
        announce(reader)
        self.reader = reader
        return isNews
    }

    /// It wants them no more.
    func take(_ mention: LogMention) {
        if mention.session == log.session.wireName { reader = nil }
    }

    private func announce(_ reader: Reader) {
        queue(
            .fullHistory(
                FullHistory(
                    session: log.session.wireName, from: reader.seq, through: log.lastSeq,
                    hash: log.hash(before: reader.seq))))
    }

    private func queue(_ packet: Packet) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        if let frame = try? encoder.frame(packet) { control.append(frame) }
    }

    /// Time has passed, or something was said: a head may be due, or its writer says anew what it
    /// is. The other side may read it from somebody else, and learns soon that there is more.
    ///
    /// - Parameter pause: how long it need not be told again that another writer is still there.
    func tick(_ timing: Timing, every pause: Duration = .zero, now: Moment) {
        if let record = log.record, toldRecord?.isDue(record, now: now.uptime) == true {
            control.append(record)
            toldRecord = ToldRecord(record, at: now.uptime)
        }
        if let head = log.newestHead(timing, now: now), head != told?.head {
            if let told, now.uptime - told.at < pause, let said = told.said,
                log.heldHead?.saysTheSame(as: said) == true
            {
                return
            }
            tell(head, now)
        } else if reader == nil, let told, told.seq < log.lastSeq,
            now.uptime - told.at >= Self.tellingInterval, let head = log.head(timing, now: now),
            head != told.head
        {
            tell(head, now)
        }
    }

    private func tell(_ head: [UInt8], _ now: Moment) {
        control.append(head)
        told = Told(seq: log.lastSeq, at: now.uptime, head: head, said: log.heldHead)
    }

    /// What lets a log in that others bring, or what shows that it is forked, may be news.
    func follow(_ served: Shelf.Served) {
        if let grant = served.grant, grant != self.grant {
            control.append(FrameEncoder.frame(grant))
        }
        if let fork = served.fork, fork != self.fork { control.append(FrameEncoder.frame(fork)) }
        (grant, fork) = (served.grant, served.fork)
    }

    private static let tellingInterval = Duration.seconds(1)

    /// Another writer has said this.
    func note(place: Int, isMain: Bool) { log.noteOther(place: place, isMain: isMain) }

    /// Whether there is something to be sent.
    var isOwed: Bool {
        !control.isEmpty
            || reader.map { !log.frames(at: $0.cursor).isEmpty || $0.isOwedPartials(in: log) }
                ?? false
    }

    /// What is to be sent next, at most about `limit` bytes; empty for nothing.
    func output(limit: Int) -> [UInt8] {
        var bytes = Array(control.pending())
        control.removeFirst(bytes.count)
        while bytes.count < limit, readFinals(into: &bytes, limit: limit) {}
        if bytes.isEmpty, var reader {
            reader.partials(in: log).forEach { bytes += $0 }
            self.reader = reader
        }
        return bytes
    }

    /// - Returns: whether there were any.
    private func readFinals(into bytes: inout [UInt8], limit: Int) -> Bool {
        guard var reader else { return false }
        if reader.gap(in: log) != nil {
            announce(reader)
            bytes += control.pending()
            control.removeFirst(control.count)
        }
        let frames = log.frames(at: reader.cursor)
        var (count, walk) = (0, FrameWalk(frames))
        while bytes.count + count < limit, let payload = walk.next() {
            count += FrameDecoder.prefixLength + payload.count
        }
        bytes += frames.prefix(count)
        reader.advance(count, in: log)
        self.reader = reader
        return count > 0
    }

    /// Whether all of it has been given out, or nobody reads it.
    var isDrained: Bool { control.isEmpty && (reader.map { log.isDrained(by: $0.cursor) } ?? true) }
}
