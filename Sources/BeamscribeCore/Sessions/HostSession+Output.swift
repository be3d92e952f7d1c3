extension HostSession {
    /// How an attempt to send everything ended.
    public enum Drained: Equatable, Sendable {
        /// The connection has everything.
        case completely
        /// The connection has everything, and nothing will follow: close the sending side. Told
        /// once.
        case forGood
        /// `send` took less than it was given.
        case untilBlocked
    }

    /// Hands over what there is for a guest, in pieces, until there is nothing left, `limit`
    /// bytes were taken or `send` takes no more.
    ///
    /// - Parameter send: gets bytes that are valid during the call, and returns how many it took.
    public func drain<Failure>(
        _ guest: HostGuest, limit: Int = .max, now: Moment,
        _ send: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Drained {
        var left = limit
        while true {
            let output = output(for: guest)
            if output.isEmpty { return leave(guest, now: now) ? .forGood : .completely }
            guard left > 0 else { return .untilBlocked }
            let count = try send(output)
            sent(count, to: guest, now: now)
            left -= count
            guard count == output.count else { return .untilBlocked }
        }
    }

    /// The next bytes for a guest; empty when it has everything. Valid until something changes.
    func output(for guest: HostGuest) -> UnsafeRawBufferPointer {
        if guest.owesGap, guest.control.isEmpty {
            announceHistory(to: guest)
            guest.owesGap = false
            // At a gap it drops its partials, for their finals may be gone.
            guest.partialStamp = 0
        }
        if !guest.control.isEmpty, guest.cursor.isAtBoundary {
            return guest.control.pending()
        }
        let log = loggedOutput(for: guest)
        if !log.isEmpty { return log }
        queueWhatFollowsTheLog(for: guest)
        return guest.control.isEmpty ? Self.nothing : guest.control.pending()
    }

    /// A guest that has drained the log is owed the newest partials, or the last word.
    private func queueWhatFollowsTheLog(for guest: HostGuest) {
        if guest.isAccepted, guest.partialStamp < register.newestStamp {
            register.frames(after: guest.partialStamp).forEach { guest.control.append($0) }
            guest.partialStamp = register.newestStamp
        }
        if !guest.farewell.isEmpty {
            guest.control.append(guest.farewell)
            guest.farewell = []
        }
        if guest.isClosing, guest.transport.marksEnd, !guest.saidEnd {
            guest.control.append(FrameDecoder.endMark)
            guest.saidEnd = true
        }
    }

    /// `count` of the bytes that ``output(for:)`` gave were sent.
    private func sent(_ count: Int, to guest: HostGuest, now: Moment) {
        guard count > 0 else { return }
        if !guest.control.isEmpty, guest.cursor.isAtBoundary {
            guest.control.removeFirst(count)
        } else {
            // In place it would be a tracked access, which costs more than the copy.
            var cursor = guest.cursor
            transcript.advance(&cursor, by: count)
            guest.cursor = cursor
        }
        sentBytes += count
        guest.lastProgress = now.uptime
        guest.lastSent = now.uptime
    }

    /// Whether the connection was told why it ends and has all that it will get. True once.
    private func leave(_ guest: HostGuest, now: Moment) -> Bool {
        guard guest.isClosing, !guest.isFinished else { return false }
        guest.isFinished = true
        guest.closingSince = now.uptime
        return true
    }

    /// A guest that is sent away gets what the event's end owes it; one that is refused only the
    /// rest of a frame that it has begun.
    private func loggedOutput(for guest: HostGuest) -> UnsafeRawBufferPointer {
        assert(
            journal.map { $0.failure != nil || $0.written.cursor.offset == transcript.endOffset }
                ?? true,
            "what a guest gets must be stored first")
        return switch guest.phase {
        case .connecting: Self.nothing
        case .syncing, .stable, .leaving: transcript.bytes(at: guest.cursor)
        case .refused: transcript.restOfFrame(at: guest.cursor)
        }
    }

    /// Puts a packet into a guest's own queue.
    func queue(_ packet: Packet, for guest: HostGuest) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        guard let frame = try? encoder.frame(packet) else { return }
        guest.control.append(frame)
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
