import FoundationEssentials

extension HostSession {
    func received(
        payload: UnsafeRawBufferPointer, from guest: HostGuest, now: Moment
    ) -> [Action] {
        let packet: Packet
        do throws(PacketError) {
            packet = try packets.packet(payload)
        } catch {
            return drop(guest, .packet(error))
        }
        switch (packet, guest.phase) {
        case (.handshake(let handshake), .connecting):
            return accept(handshake, from: guest, now: now)
        case (_, .connecting):
            return drop(guest, .notAHandshake(SafeText.label(packet.typeName, bytes: 40)))
        case (.codeChallenge, _), (.codeShare, _), (.codeConfirm, _):
            return drop(guest, .outOfTurn(packet.typeName))
        case (.keepAlive(let keepAlive), _):
            note(keepAlive, from: guest, now: now)
            return []
        default:
            return []
        }
    }

    private func accept(
        _ handshake: Handshake, from guest: HostGuest, now: Moment
    ) -> [Action] {
        guard handshake.protocol == Handshake.currentProtocol else {
            return reject(guest, .unsupportedProtocol, HandshakeResponse.otherVersion, now: now)
        }
        guard let device = UUID(uuidString: handshake.deviceId) else {
            return drop(guest, .packet(.wrongShape(key: "deviceId")))
        }
        guest.deviceID = device.wireName
        guest.name = SafeText.name(handshake.displayName, bytes: Limits.deviceNameBytes)
        guest.saidHelloAt = handshake.timestamp
        guard !isOvertaken(guest) else { return drop(guest, .overtaken, now: now.uptime) }
        var replaced = replaceOlderConnection(than: guest, now: now)
        switch place(for: guest) {
        case .free: break
        case .none(let why): return replaced + reject(guest, .full, why, now: now)
        case .taken(let other): replaced += reject(other, .full, Self.givesItsPlace, now: now)
        }
        guest.phase = .syncing
        takeSeat(guest)
        guest.acceptedAt = now.uptime
        let welcomed = replaced + welcome(guest, handshake, now: now)
        guard let farewell else { return welcomed }
        return welcomed + take(leave: farewell, of: guest, now: now)
    }

    private enum Place {
        case free
        /// Another guest has to give way.
        case taken(HostGuest)
        /// There is none, and why, as a sentence.
        case none(String)
    }

    /// The place of a newcomer. Where none is free the newest guest of the source that has the most
    /// gives way to one of a source that has fewer, so that nobody can keep others out by taking all
    /// places; see ``SourceCrowd/yielding(to:)`` for why those who had to give way cannot push out
    /// others when they come back. Guests of one source, as behind a relay, push out nobody of it.
    private func place(for guest: HostGuest) -> Place {
        let limit = configuration.maximumBluetoothGuests
        if guest.transport == .bluetooth, bluetoothSeats.count >= limit {
            return place(
                for: guest, in: bluetoothSeats,
                orElse: "This host takes \(limit) guests over Bluetooth, and they are here; over "
                    + "the network there is room.")
        }
        guard seats.count >= configuration.maximumGuests else { return .free }
        return place(
            for: guest, in: seats,
            orElse: "This host takes \(configuration.maximumGuests) guests, and they are here.")
    }

    private func place(
        for guest: HostGuest, in crowd: SourceCrowd<ConnectionID>, orElse why: String
    ) -> Place {
        crowd.yielding(to: guest.source).flatMap { guests[$0] }.map { .taken($0) } ?? .none(why)
    }

    private static let givesItsPlace =
        "This host is full, and no address has more guests here than this one: its newest gives its "
        + "place to a guest from elsewhere."

    private func welcome(
        _ guest: HostGuest, _ handshake: Handshake, now: Moment
    ) -> [Action] {
        let first = firstLine(wantedBy: handshake)
        guest.cursor = transcript.cursor(before: first)
        var response = HandshakeResponse(status: .accepted)
        response.protocol = Handshake.currentProtocol
        response.session = configuration.session.wireName
        response.runs = configuration.runs.after
        response.eventName = configuration.eventName
        response.deviceName = configuration.deviceName
        response.firstSeq = transcript.firstSeq
        response.lastSeq = transcript.lastSeq
        response.keepAliveInterval = configuration.timing.keepAliveInterval.seconds
        response.timestamp = now.wall
        if let theirs = handshake.timestamp, theirs.isFinite {
            response.echo = theirs
            response.received = now.wall
            guest.lastTimestamp = (theirs, now.wall)
        }
        queue(.handshakeResponse(response), for: guest)
        announceHistory(to: guest)
        standing.alerts.forEach { queue(.alert($0), for: guest) }
        tellOfResume(guest, handshake, now: now)
        guest.lastSent = now.uptime
        guest.keepAlivePause = configuration.timing.keepAlivePause(using: &generator)
        return [
            .report(.guestConnected(guest.description, after: first - 1)),
            .send(guest.id),
        ]
    }

    /// Announces the lines from the guest's cursor to the newest.
    func announceHistory(to guest: HostGuest) {
        let history = FullHistory(
            session: configuration.session.wireName,
            from: guest.cursor.seq, through: transcript.lastSeq)
        queue(.fullHistory(history), for: guest)
    }

    /// A device that was here before the host was started anew learns that this is the same event,
    /// once.
    private func tellOfResume(_ guest: HostGuest, _ handshake: Handshake, now: Moment) {
        guard configuration.runs.current > 1, let resume = handshake.resume,
            resume.session.lowercased() == configuration.session.wireName,
            (resume.run ?? 1) < configuration.runs.current,
            knowOfResume.count < Limits.rememberedDevices,
            knowOfResume.insert(guest.deviceID).inserted
        else { return }
        let message = "The host is back, and the event goes on where it was."
        queue(
            .alert(Alert(.sessionResumed, message, sentTimestamp: now.wall)), for: guest)
    }

    private func firstLine(wantedBy handshake: Handshake) -> Int {
        let next = transcript.lastSeq + 1
        if let resume = handshake.resume,
            resume.session.lowercased() == configuration.session.wireName
        {
            let valid = configuration.runs.valid(through: resume.after, of: resume.run)
            return min(max(valid, 0), transcript.lastSeq) + 1
        }
        if handshake.history == Handshake.noHistory { return next }
        return min(max(handshake.from ?? 1, 1), next)
    }

    /// Whether the same device has said hello a little later than this connection, and is here
    /// already: a handshake that was long under way, of a connection that its guest has given up,
    /// must not push out the guest itself. By its own clock: where that was set back, or another
    /// machine uses the same id, the guest comes in a little later.
    private func isOvertaken(_ guest: HostGuest) -> Bool {
        guard let saidHelloAt = guest.saidHelloAt else { return false }
        let late = configuration.timing.handshakeLateness.seconds
        return guests.values.contains {
            guard $0.isAccepted, $0.deviceID == guest.deviceID, let other = $0.saidHelloAt else {
                return false
            }
            return other > saidHelloAt && other < saidHelloAt + late
        }
    }

    /// A device has one connection: the older one of the two is told so and closed.
    private func replaceOlderConnection(than guest: HostGuest, now: Moment) -> [Action] {
        let older = guests.values.filter {
            $0 !== guest && $0.isAccepted && $0.deviceID == guest.deviceID
        }
        return older.sorted { $0.id < $1.id }.flatMap {
            reject($0, .duplicate, "The same device has connected again.", now: now)
        }
    }

    private func reject(
        _ guest: HostGuest, _ reason: HandshakeResponse.Reason, _ message: String, now: Moment
    ) -> [Action] {
        queue(.handshakeResponse(HandshakeResponse(rejecting: reason, message)), for: guest)
        let why = CloseReason.rejected(reason).description
        let event: HostEvent =
            guest.acceptedAt == nil
            ? .connectionRefused(peer: guest.peer, why: why)
            : .guestLeft(guest.description, why: why, wasStable: guest.phase == .stable)
        leaveSeat(guest.id)
        guest.phase = .refused
        // Nothing follows the refusal, no news of a gap either.
        guest.owesGap = false
        guest.closingSince = now.uptime
        guest.lastProgress = now.uptime
        return [.report(event), .send(guest.id)]
    }

    private func note(_ keepAlive: KeepAlive, from guest: HostGuest, now: Moment) {
        guest.lastTimestamp = (keepAlive.timestamp, now.wall)
        if let applied = keepAlive.applied {
            guest.applied = max(guest.applied, min(applied, transcript.lastSeq))
        }
        if let echo = keepAlive.echo, let received = keepAlive.received {
            guest.clock.add(t1: echo, t2: received, t3: keepAlive.timestamp, t4: now.wall)
        }
        guest.lag = transcript.lastSeq - guest.applied
        guest.latency = keepAlive.latency
    }
}
