extension HostSession {
    /// The next bytes for a connection; empty when it has everything. Valid until the session is
    /// called again.
    public func output(for id: ConnectionID) -> UnsafeRawBufferPointer {
        guard let guest = guests[id] else { return Self.nothing }
        if guest.owesGap, guest.control.isEmpty, guest.isAccepted {
            announceHistory(to: guest)
            guest.owesGap = false
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
        if let farewell = guest.farewell {
            guest.farewell = nil
            queue(.alert(farewell), for: guest)
        }
    }

    /// `count` of the bytes that ``output(for:)`` gave were sent.
    public func sent(_ count: Int, to id: ConnectionID, now: Moment) {
        guard let guest = guests[id], count > 0 else { return }
        if !guest.control.isEmpty, guest.cursor.isAtBoundary {
            guest.control.removeFirst(count)
        } else {
            transcript.advance(&guest.cursor, by: count)
        }
        guest.lastProgress = now.uptime
        sendKeepAliveLater(to: guest, now: now.uptime)
    }

    /// Whether the connection was told why it ends and has read all that it will get: time to
    /// close its sending side. True once.
    public func takesLeave(_ id: ConnectionID, now: Moment) -> Bool {
        guard let guest = guests[id], guest.isClosing, !guest.isFinished,
            output(for: id).isEmpty
        else { return false }
        guest.isFinished = true
        guest.closingSince = now.uptime
        return true
    }

    /// A guest that is sent away gets what the event's end owes it; one that is refused only the
    /// rest of a frame that it has begun.
    private func loggedOutput(for guest: HostGuest) -> UnsafeRawBufferPointer {
        switch guest.phase {
        case .connecting: Self.nothing
        case .syncing, .stable, .closing(.eventOver): transcript.bytes(at: guest.cursor)
        case .closing: transcript.restOfFrame(at: guest.cursor)
        }
    }

    /// Puts a packet into a guest's own queue.
    func queue(_ packet: Packet, for guest: HostGuest) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        guard let frame = try? encoder.frame(packet) else { return }
        guest.control.append(frame)
    }

    func sendKeepAliveLater(to guest: HostGuest, now: Duration) {
        guest.nextKeepAlive = configuration.timing.nextKeepAlive(after: now, using: &generator)
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
