public import FoundationEssentials

/// What happens to a guest: connections, time, and its reader's wishes.
extension GuestSession {
    /// A connection stands, as safe as it is meant to be.
    ///
    /// - Parameter id: who the guest is to this host.
    public func connected(
        over transport: Transport = .network, security: ConnectionSecurity = .plain, as id: UUID,
        now: Moment
    ) -> [Action] {
        guard phase == .dialing else { return [.disconnect] }
        phase = .handshaking(since: now.uptime)
        self.transport = transport
        self.security = security
        deviceID = id.wireName
        codeStep = .none
        decoder = FrameDecoder(takesEndMark: transport.marksEnd)
        lastHeard = now.uptime
        var handshake = Handshake(
            deviceId: deviceID, displayName: configuration.displayName,
            // Where there is a code, only who knows it learns what the guest has.
            resume: configuration.hasCode ? nil : position, timestamp: now.wall)
        if lastSeq == nil {
            switch start {
            case .beginning: break
            case .line(let seq): handshake.from = seq
            case .next: handshake.history = Handshake.noHistory
            }
        }
        return send(.handshake(handshake))
    }

    /// The driver has let go of the connection that stood for a better one, which stands. The
    /// guest goes on in it where it is, and its reader need not know of more than that.
    public func moved(
        over transport: Transport, security: ConnectionSecurity = .plain, as id: UUID, now: Moment
    ) -> [Action] {
        switch phase {
        case .handshaking, .connected: phase = .dialing
        default: return [.disconnect]
        }
        return withdrawOpenLines()
            + connected(over: transport, security: security, as: id, now: now)
    }

    /// Whoever answered is not to be trusted, or does not trust this guest. While it joins, that
    /// is the end. Later another may only claim to be the host: it is tried again, and three in a
    /// row are the end.
    public func refused(_ refusal: SecurityRefusal, now: Moment) -> [Action] {
        let hangUp: [Action]
        switch phase {
        case .dialing: hangUp = []
        case .handshaking: hangUp = [.disconnect]
        default: return []
        }
        guard session != nil, configuration.reconnects else { return finish(.distrusted(refusal)) }
        violations += 1
        guard violations < Self.toleratedViolations else { return finish(.distrusted(refusal)) }
        return hangUp + retryLater(ConnectionTrouble(.hostLost, "\(refusal)"), now: now)
    }

    /// The host that has just let the guest in turned out not to be trusted.
    public func distrusts(_ refusal: SecurityRefusal) -> [Action] {
        phase == .finished ? [] : finish(.distrusted(refusal))
    }

    /// Whoever answered does not speak TLS as it should.
    public func violatedSecurity(_ what: String, now: Moment) -> [Action] {
        guard phase == .dialing else { return [] }
        return violated(.security(what), now: now)
    }

    /// No address of the host took the connection.
    public func connectionFailed(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        guard phase == .dialing else { return [] }
        return retryLater(trouble, now: now)
    }

    /// The connection is gone: the host closed it, or an error did.
    public func disconnected(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        switch phase {
        case .handshaking, .connected: retryLater(trouble, now: now)
        default: []
        }
    }

    /// Something changed that makes a try worth while now: an address of this machine, or fresh
    /// news of the host.
    public func prospectsChanged(now: Moment) -> [Action] {
        guard case .waiting(let retryAt) = phase, retryAt > now.uptime else { return [] }
        phase = .waiting(retryAt: now.uptime)
        return tick(now)
    }

    /// The driver reads no more for a while since the reader is slow, or reads again. While it
    /// does not, the host's silence means nothing.
    public func readingPaused(_ isPaused: Bool, now: Moment) {
        isReadingPaused = isPaused
        lastHeard = now.uptime
        if case .handshaking = phase { phase = .handshaking(since: now.uptime) }
    }

    /// Time has passed.
    public func tick(_ now: Moment) -> [Action] {
        tellLoss(now) + proceed(now)
    }

    private func tellLoss(_ now: Moment) -> [Action] {
        guard let due = lossIsToldAt, due <= now.uptime, let loss else { return [] }
        lossIsToldAt = nil
        return [.report(.stillLost(loss))]
    }

    private func proceed(_ now: Moment) -> [Action] {
        switch phase {
        case .waiting(let retryAt):
            // Whoever cannot read has no use for a connection.
            guard retryAt <= now.uptime, !isReadingPaused else { return [] }
            phase = .dialing
            return change(to: session == nil ? .connecting : state) + [.connect]
        case .handshaking(let since):
            guard !isReadingPaused, now.uptime - since >= configuration.timing.handshakeTimeout
            else { return [] }
            return [.disconnect]
                + retryLater(
                    ConnectionTrouble(.networkLost, "the host did not answer"), now: now)
        case .connected: return checkLife(now)
        case .dialing, .finished: return []
        }
    }

    private func checkLife(_ now: Moment) -> [Action] {
        if !isReadingPaused, now.uptime - lastHeard >= silenceTimeout {
            let seconds = Int(silenceTimeout.seconds)
            let why = "nothing was heard of the host for \(seconds) s"
            return [.disconnect] + retryLater(ConnectionTrouble(.networkLost, why), now: now)
        }
        startPausesOver(now)
        if now.uptime - connectedAt >= configuration.timing.gate * 10 { violations = 0 }
        guard nextKeepAlive <= now.uptime else { return [] }
        return sendKeepAlive(now)
    }

    /// Once a connection has held for the gate's time, the pauses begin anew.
    func startPausesOver(_ now: Moment) {
        guard phase == .connected, now.uptime - connectedAt >= configuration.timing.gate else {
            return
        }
        backoff.reset()
    }

    func sendKeepAlive(_ now: Moment) -> [Action] {
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = deviceID
        packet.echo = lastTimestamp?.theirs
        packet.received = lastTimestamp?.receivedAt
        packet.applied = lastSeq
        packet.latency = latencies.percentiles
        nextKeepAlive = now.uptime + configuration.timing.keepAlivePause(using: &generator)
        return send(.keepAlive(packet))
    }

    /// The time to find the host is over. Nothing happens to a guest that has found it before.
    public func giveUpSearching(why: String) -> [Action] {
        guard session == nil, phase != .finished else { return [] }
        return finish(.noAnswer(why: why))
    }

    /// The reader has had enough.
    public func stop() -> [Action] {
        phase == .finished ? [] : finish(.ended)
    }
}
