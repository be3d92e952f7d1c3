extension HostSession {
    /// Looks at every connection's times. To be called every ``Timing/checkInterval`` while
    /// ``hasConnections``, after what the sockets had to say was taken in.
    public func tick(_ now: Moment) -> [Action] {
        forgiveOwnAbsence(now: now.uptime)
        lastTick = now.uptime
        return guestsInOrder.flatMap { check($0, now: now) }
    }

    /// A host that was itself asleep has heard nobody, which says nothing about its guests.
    private func forgiveOwnAbsence(now: Duration) {
        guard let lastTick, now - lastTick > configuration.timing.checkInterval * 3 else { return }
        for guest in guests.values {
            guest.lastHeard = now
            guest.lastProgress = now
        }
    }

    private func check(_ guest: HostGuest, now: Moment) -> [Action] {
        switch guest.phase {
        case .connecting: checkHandshake(of: guest, now: now.uptime)
        case .leaving: checkLeaving(of: guest, now: now.uptime)
        case .refused: checkRefused(guest, now: now.uptime)
        case .syncing, .stable: checkLife(of: guest, now: now)
        }
    }

    /// At the end nobody is waited for who has not even said who it is.
    private func checkHandshake(of guest: HostGuest, now: Duration) -> [Action] {
        let timing = configuration.timing
        let limit = farewell == nil ? timing.handshakeTimeout : timing.lingerTimeout
        guard now - guest.connectedAt >= limit else { return [] }
        return drop(guest, .handshakeTimeout(limit), now: now)
    }

    /// Somebody who is there but slow may read to the end; somebody who is gone is not waited for.
    private func checkLeaving(of guest: HostGuest, now: Duration) -> [Action] {
        let timing = configuration.timing
        let since = max(guest.closingSince, guest.lastProgress)
        guard
            now - guest.lastHeard >= timing.silenceTimeout || now - since >= timing.stuckTimeout
        else { return [] }
        return drop(guest, .lingered, now: now)
    }

    private func checkRefused(_ guest: HostGuest, now: Duration) -> [Action] {
        guard now - guest.closingSince >= configuration.timing.lingerTimeout else { return [] }
        return drop(guest, .lingered, now: now)
    }

    private func checkLife(of guest: HostGuest, now: Moment) -> [Action] {
        let timing = configuration.timing
        if now.uptime - guest.lastHeard >= timing.silenceTimeout {
            return drop(guest, .silent(timing.silenceTimeout), now: now.uptime)
        }
        if output(for: guest).isEmpty {
            guest.lastProgress = now.uptime
        } else if now.uptime - guest.lastProgress >= timing.stuckTimeout {
            return drop(guest, .stuck(timing.stuckTimeout), now: now.uptime)
        }
        guard guest.control.count <= Limits.controlQueue else {
            return drop(guest, .controlQueueFull, now: now.uptime)
        }
        return passGate(guest, now: now.uptime) + keepAlive(guest, now: now)
    }

    private func passGate(_ guest: HostGuest, now: Duration) -> [Action] {
        guard guest.phase == .syncing, let acceptedAt = guest.acceptedAt,
            now - acceptedAt >= configuration.timing.gate
        else { return [] }
        guest.phase = .stable
        return [.report(.guestJoined(guest.description))]
    }

    /// Since this runs once per check interval, what falls due before the next check goes now.
    private func keepAlive(_ guest: HostGuest, now: Moment) -> [Action] {
        let timing = configuration.timing
        let due = guest.lastSent + guest.keepAlivePause
        let isDue = due <= now.uptime + timing.checkInterval / 2
        let clockIsDue = now.uptime - guest.lastKeepAlive >= timing.clockInterval
        guard isDue || clockIsDue, output(for: guest).isEmpty else { return [] }
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = configuration.deviceID.wireName
        packet.inputAge = inputAge(now.uptime).seconds
        packet.echo = guest.lastTimestamp?.theirs
        packet.received = guest.lastTimestamp?.receivedAt
        queue(.keepAlive(packet), for: guest)
        guest.lastKeepAlive = now.uptime
        guest.keepAlivePause = timing.keepAlivePause(using: &generator)
        return [.send(guest.id)]
    }
}
