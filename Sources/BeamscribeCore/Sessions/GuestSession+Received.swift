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
        // Anything else could hold what moves a cursor, and is shown.
        guard let answered = response.session.flatMap(UUID.init(uuidString:))?.wireName else {
            throw .incompleteHandshake("session")
        }
        if let session, session.lowercased() != answered, lastSeq ?? 0 > 0 {
            actions += finish(.anotherSession)
            return
        }
        let name = SafeText.label(response.eventName ?? "", bytes: Limits.eventNameBytes)
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
                        eventName: SafeText.label(
                            response.eventName ?? "", bytes: Limits.eventNameBytes),
                        deviceName: SafeText.label(
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

    private func rejected(_ response: HandshakeResponse, now: Moment) -> [Action] {
        let reason = SafeText.label(response.reason ?? "unknown", bytes: 40)
        let message = SafeText.label(response.message ?? reason, bytes: Limits.messageBytes)
        switch HandshakeResponse.Reason(rawValue: reason) {
        case .ended:
            return [.report(.alert(kind: reason, message: message))] + finish(.ended)
        case .full where session != nil && configuration.reconnects:
            // A guest that was in the room comes back as soon as there is a place.
            return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, message), now: now)
        default:
            return finish(.refused(reason: reason, message: message))
        }
    }

    // MARK: Lines

    private func take(
        _ history: FullHistory, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard history.session.lowercased() == session else { throw .wrongSession }
        guard history.from >= 1, history.through >= history.from - 1 else {
            throw .historyGoesBack(expected: (lastSeq ?? 0) + 1, from: history.from)
        }
        guard history.through <= Limits.lineNumber else {
            throw .lineNumberTooLarge(history.through)
        }
        let expected = lastSeq.map { $0 + 1 } ?? min(firstWanted, history.through + 1)
        guard history.from >= expected || lastSeq == nil else {
            throw .historyGoesBack(expected: expected, from: history.from)
        }
        let missing = max(expected, min(firstWanted, history.through + 1))
        if history.from > missing {
            actions.append(.report(.gap(from: missing, through: history.from - 1)))
        }
        // The finals of open lines may be among what is gone; the host sends those still open again.
        if history.from > expected { actions += withdrawOpenLines() }
        lastSeq = history.from - 1
        historyStart = history.from
        historyEnd = history.through
    }

    private func take(
        _ chunk: LiveChunk, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard chunk.text.utf8.count <= Limits.lineBytes else {
            throw .lineTooLong(bytes: chunk.text.utf8.count)
        }
        let labels = [chunk.line, chunk.speaker ?? "", chunk.lang ?? ""]
        guard labels.allSatisfy({ $0.utf8.count <= Limits.labelBytes }) else {
            throw .labelTooLong
        }
        inputAge = 0
        guard chunk.isFinal else {
            take(partial: chunk, &actions)
            return
        }
        guard let seq = chunk.seq else { throw .lineWithoutNumber }
        let expected = (lastSeq ?? 0) + 1
        guard seq == expected else { throw .lineOutOfOrder(expected: expected, got: seq) }
        lastSeq = seq
        let name = openLines.isEmpty ? "" : Self.label(chunk.line)
        let wasOpen = openLines.contains(name)
        if wasOpen { openLines.removeAll { $0 == name } }
        guard seq >= firstWanted else {
            // The final that would end it on the reader's screen is not shown.
            if wasOpen { actions.append(.report(.partial(PartialLine(withdrawing: name)))) }
            return
        }
        let line = line(seq, chunk, now: now)
        // The age of a line from the history is no latency.
        if seq > historyEnd { latencies.add(line.latency) }
        reportedLines += 1
        actions.append(.report(.line(line)))
    }

    /// What becomes visible in a text takes more room; the limits hold for what a reader gets.
    private static func text(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.lineBytes)
    }

    private static func label(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.labelBytes)
    }

    private func line(_ seq: Int, _ chunk: LiveChunk, now: Moment) -> TranscriptLine {
        TranscriptLine(
            seq: seq, line: Self.label(chunk.line), text: Self.text(chunk.text),
            speaker: chunk.speaker.map(Self.label), lang: chunk.lang.map(Self.label),
            start: chunk.start, end: chunk.end, replaces: chunk.replaces,
            sentTimestamp: chunk.sentTimestamp, receivedTimestamp: now.wall,
            latency: bounded(now.wall + (clock.offset ?? 0) - chunk.sentTimestamp))
    }

    private func take(partial chunk: LiveChunk, _ actions: inout [Action]) {
        let name = Self.label(chunk.line)
        openLines.removeAll { $0 == name }
        if !chunk.text.isEmpty { openLines.append(name) }
        if openLines.count > Limits.openLines {
            let oldest = openLines.removeFirst()
            actions.append(.report(.partial(PartialLine(withdrawing: oldest))))
        }
        actions.append(
            .report(
                .partial(
                    PartialLine(
                        line: name, text: Self.text(chunk.text),
                        speaker: chunk.speaker.map(Self.label), lang: chunk.lang.map(Self.label)))))
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
    private func bounded(_ seconds: Double) -> Double {
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
