import FoundationEssentials

extension GuestSession {
    /// Bytes came in. `bytes` need be valid during the call only.
    public func received(_ bytes: UnsafeRawBufferPointer, now: Moment) -> [Action] {
        guard isOpen else { return [] }
        lastHeard = now.uptime
        var actions: [Action] = []
        do throws(FrameError) {
            // The decoder is taken out so that a packet may start a new connection's.
            var decoder = self.decoder
            self.decoder = FrameDecoder()
            defer { self.decoder = decoder }
            try decoder.decode(bytes) { payload in
                do throws(GuestViolation) {
                    try received(payload: payload, now: now, &actions)
                } catch {
                    actions += violated(error, now: now)
                }
                return isOpen
            }
        } catch .end {
            actions += [.disconnect] + disconnected(.closedByHost, now: now)
        } catch {
            actions += violated(.frame(error), now: now)
        }
        if phase == .connected { actions += change(to: stateByProgress()) }
        return actions
    }

    /// Something of the host came, though nothing whole: it lives.
    public func heard(now: Moment) {
        if isOpen { lastHeard = now.uptime }
    }

    /// Whether there is a connection to take packets from.
    private var isOpen: Bool {
        switch phase {
        case .handshaking, .connected: true
        case .waiting, .dialing, .finished: false
        }
    }

    private func received(
        payload: UnsafeRawBufferPointer, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        let packet: Packet
        do throws(PacketError) {
            packet = try packets.packet(payload)
        } catch {
            throw .packet(error)
        }
        switch (packet, phase) {
        case (.liveChunk(let chunk), .connected):
            try take(chunk, now: now, &actions)
        case (.handshakeResponse(let response), _):
            try take(response, now: now, &actions)
        case (.codeChallenge(let challenge), .handshaking):
            try take(challenge, now: now, &actions)
        case (.codeShare(let answer), .handshaking):
            try take(answer, now: now, &actions)
        case (.fullHistory(let history), .connected):
            try take(history, &actions)
        case (.alert(let alert), .connected):
            take(alert, now: now, &actions)
        case (.keepAlive(let keepAlive), .connected):
            take(keepAlive, now: now)
        case (.unknown, _): break
        case (_, .handshaking): throw .beforeHandshake(packet.typeName)
        default: break
        }
    }

    // MARK: Handshake

    private func take(
        _ response: HandshakeResponse, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard response.status == .accepted else {
            actions += rejected(response, now: now)
            return
        }
        guard case .handshaking = phase else { return }
        switch codeStep {
        case .proven: break
        case .none where !configuration.hasCode: break
        case .none: return actions += refused(.hostWithoutCode, now: now)
        default: throw .outOfTurn(Packet.TypeName.handshakeResponse)
        }
        // Anything else could hold what moves a cursor, and is shown.
        guard let answered = response.session.flatMap(UUID.init(uuidString:))?.wireName else {
            throw .incompleteHandshake("session")
        }
        if let session, session.lowercased() != answered, lastSeq ?? 0 > 0 {
            actions += finish(.anotherSession)
            return
        }
        let name = SafeText.name(response.eventName ?? "", bytes: Limits.eventNameBytes)
        if let wanted = configuration.wantedEvent, !EventName.matches(name, wanted: wanted) {
            actions += finish(.anotherEvent(name))
            return
        }
        if session?.lowercased() != answered {
            (lastSeq, run, start) = (nil, nil, configuration.start)
        }
        session = answered
        welcome(response, now: now, &actions)
    }

    private func welcome(
        _ response: HandshakeResponse, now: Moment, _ actions: inout [Action]
    ) {
        phase = .connected
        connectedAt = now.uptime
        connections += 1
        inputTrouble = nil
        (loss, lossIsToldAt) = (nil, nil)
        saidGoodbye = false
        inputAge = 0
        let runs = SessionRuns(after: response.runs ?? [0]) ?? SessionRuns()
        forgetWhatTheHostLost(runs, &actions)
        let newest = min(max(response.lastSeq ?? 0, 0), Limits.lineNumber)
        if start == .next, lastSeq == nil {
            firstWanted = newest + 1
            start = .line(firstWanted)
        }
        if let interval = response.keepAliveInterval, (0...3_600).contains(interval) {
            // A host that speaks more slowly than the contract's 2 s is given that much longer.
            let slower = max(0, interval - configuration.timing.keepAliveInterval.seconds)
            silenceTimeout = configuration.timing.silenceTimeout + .seconds(slower)
        }
        if let timestamp = response.timestamp {
            lastTimestamp = (timestamp, now.wall)
            if let echo = response.echo, let received = response.received {
                clock.add(t1: echo, t2: received, t3: timestamp, t4: now.wall)
            }
        }
        nextKeepAlive = now.uptime + configuration.timing.keepAlivePause(using: &generator)
        actions.append(
            .report(
                .joined(
                    JoinedEvent(
                        eventName: SafeText.name(
                            response.eventName ?? "", bytes: Limits.eventNameBytes),
                        deviceName: SafeText.name(
                            response.deviceName ?? "", bytes: Limits.deviceNameBytes),
                        session: session ?? "", runs: runs, history: newest,
                        transport: transport, security: security))))
    }

    /// A host that came back after a loss of power may lack the last lines that this guest has.
    private func forgetWhatTheHostLost(_ runs: SessionRuns, _ actions: inout [Action]) {
        defer { run = runs.current }
        guard let lastSeq else { return }
        let valid = runs.valid(through: lastSeq, of: run)
        guard valid < lastSeq else { return }
        self.lastSeq = valid
        let from = max(valid + 1, firstWanted)
        if from <= lastSeq { actions.append(.report(.withdrawn(from: from, through: lastSeq))) }
    }

    /// Nobody has judged who refuses: the words are this program's.
    private func rejected(_ response: HandshakeResponse, now: Moment) -> [Action] {
        let reason = response.reason.flatMap(HandshakeResponse.Reason.init)
        let message = HandshakeResponse.Reason.sentence(reason, over: transport)
        switch reason {
        case .ended:
            return [.report(.alert(kind: Alert.Kind.ended.rawValue, message: message))]
                + finish(.ended)
        case .wrongCode: return refused(.wrongCode, now: now)
        case .full where session != nil && configuration.reconnects:
            // A guest that was in the room comes back as soon as there is a place.
            return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, message), now: now)
        default: return finish(.refused(reason, over: transport))
        }
    }

    // MARK: The rest

    private func take(_ alert: Alert, now: Moment, _ actions: inout [Action]) {
        let kind = SafeText.label(alert.kind, bytes: 40)
        let message = SafeText.label(alert.message ?? kind, bytes: Limits.messageBytes)
        actions.append(.report(.alert(kind: kind, message: message)))
        switch Alert.Kind(rawValue: kind) {
        case .ended: actions += finish(.ended)
        case .hostDisconnected: saidGoodbye = true
        case .inputStalled: inputTrouble = .stalled
        case .inputEnded: inputTrouble = .ended
        case .paused: inputTrouble = .paused
        case .offRecord: inputTrouble = .offRecord
        case .resumed: inputTrouble = nil
        default: break
        }
    }

    private func take(_ keepAlive: KeepAlive, now: Moment) {
        lastTimestamp = (keepAlive.timestamp, now.wall)
        if let echo = keepAlive.echo, let received = keepAlive.received {
            clock.add(t1: echo, t2: received, t3: keepAlive.timestamp, t4: now.wall)
        }
        inputAge = max(0, bounded(keepAlive.inputAge ?? 0))
    }

    /// A host may say any number; a reader has to be able to show it, in milliseconds too.
    func bounded(_ seconds: Double) -> Double {
        min(max(seconds, -Limits.seconds), Limits.seconds)
    }

    private func stateByProgress() -> GuestState {
        let received = lastSeq ?? 0
        if received < historyEnd {
            return .syncing(
                received: received - historyStart + 1, total: historyEnd - historyStart + 1)
        }
        if let inputTrouble { return .stalled(inputTrouble) }
        let isSilent = inputAge >= configuration.timing.silentAfter.seconds
        return isSilent ? .silent(inputAge: inputAge) : .live
    }
}
