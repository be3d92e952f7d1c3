import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Strangers' handshakes: who may begin, and what comes of it.
extension HostReception {
    func ready(_ stranger: Stranger, _ readiness: EventLoop.Readiness) {
        guard let socket = stranger.secured else {
            // Of those who wait nothing is asked, so that this is an error, or their end.
            if waiting.contains(stranger.id) {
                forget(stranger)
                return
            }
            // Whoever has to wait for its turn is ready at the next one again.
            if mayBeginThisTurn(), !begin(stranger) { wait(stranger) }
            return
        }
        shakeHands(stranger, socket, reads: readiness.contains(.read))
    }

    /// Counts; timers fire at the end of each turn of the loop, which begins to count anew.
    private func mayBeginThisTurn() -> Bool {
        guard begunThisTurn < Self.beginsPerTurn else { return false }
        if begunThisTurn == 0 {
            loop.schedule(at: .zero) { [weak self] in self?.begunThisTurn = 0 }
        }
        begunThisTurn += 1
        return true
    }

    /// - Returns: false if it has to wait for another's end.
    private func begin(_ stranger: Stranger) -> Bool {
        switch book.begin(stranger.id, now: Clock.uptime) {
        case .later(let due):
            if beginning == nil {
                beginning = loop.schedule(at: due) { [unowned self] in beginWaiting() }
            }
            return false
        case .now(let other):
            if let other { sendAway(other) }
            hear(stranger)
            return true
        }
    }

    private func wait(_ stranger: Stranger) {
        stranger.registration?.interest = []
        waiting.append(stranger.id)
    }

    /// Somebody is gone, and another may begin: in a moment, for that may be why somebody goes.
    func makeUseOfRoom() {
        guard !waiting.isEmpty else { return }
        beginning?.cancel()
        beginning = loop.schedule(at: .zero) { [unowned self] in beginWaiting() }
    }

    /// Begins with those who wait, as far as there is room.
    private func beginWaiting() {
        beginning?.cancel()
        beginning = nil
        let wasCrowded = isCrowded
        while let next = waiting.first, let stranger = strangers[next] {
            guard mayBeginThisTurn() else {
                makeUseOfRoom()
                break
            }
            stranger.registration?.interest = .read
            guard begin(stranger) else {
                stranger.registration?.interest = []
                break
            }
            waiting.removeAll { $0 == next }
        }
        if wasCrowded, !isCrowded { hasRoomAgain() }
    }

    /// The first byte tells a TLS handshake (22) from the length of a plain frame (0).
    private func hear(_ stranger: Stranger) {
        do throws(SystemError) {
            guard case .bytes(let count) = try stranger.receiveFirst(into: scratch) else {
                // Whoever only looks whether the port answers says nothing and goes: no news.
                forget(stranger)
                return
            }
            let first = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            if first.first == Self.handshakeRecord {
                secure(stranger, first)
            } else if allowsPlain {
                admitPlainly(stranger, Array(first))
            } else {
                refusePlain(stranger, first)
            }
        } catch {
            forget(stranger)
        }
    }

    private func secure(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        do throws(TLSError) {
            let tls = try TLSConnection(context)
            guard let socket = stranger.begin(tls) else { return }
            defer { _ = try? socket.flush() }
            try tls.receive(first) { stranger.keep($0) }
        } catch {
            return failed(stranger, .security(error))
        }
        proceed(stranger)
    }

    private func shakeHands(_ stranger: Stranger, _ socket: SecureSocket, reads: Bool) {
        do throws(SecureSocketError) {
            guard reads else { return proceed(stranger) }
            let received = try socket.receive(into: scratch) { stranger.keep($0) }
            if received == .end { return leave(stranger, "broke its handshake off") }
        } catch {
            _ = try? socket.flush()
            return failed(stranger, error)
        }
        proceed(stranger)
    }

    private func proceed(_ stranger: Stranger) {
        guard let socket = stranger.secured else { return }
        do throws(SecureSocketError) {
            let isSent = try stranger.flush()
            stranger.registration?.interest = isSent ? .read : [.read, .write]
        } catch {
            return failed(stranger, error)
        }
        guard socket.isEstablished else { return }
        if let code { return examine(stranger, socket, code) }
        book.admitted(stranger.id)
        handOver(stranger, socket, stranger.takePlaintext())
    }

    private func admitPlainly(_ stranger: Stranger, _ first: [UInt8]) {
        guard let socket = stranger.begin(nil) else { return }
        book.admitted(stranger.id)
        handOver(stranger, socket, first)
    }

    func handOver(_ stranger: Stranger, _ socket: SecureSocket, _ first: [UInt8]) {
        strangers[stranger.id] = nil
        stranger.registration?.cancel()
        admit(socket, stranger.peer, first)
        departed()
    }

    /// A guest of ours that asks without encryption is told in a way that it understands.
    private func refusePlain(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        guard first.first == 0 else { return leave(stranger, "sent something that is no TLS") }
        let refusal = HandshakeResponse(
            rejecting: .encryptionRequired,
            "This host talks with encryption only; join without --insecure.")
        if let frame = try? FrameEncoder().frame(.handshakeResponse(refusal)) {
            stranger.say(frame)
        }
        leave(stranger, "asked for no encryption, which takes --insecure here, too")
    }

    private func failed(_ stranger: Stranger, _ error: SecureSocketError) {
        leave(stranger, error.clause)
    }

    /// Handshakes that are begun before guests have their turn: to begin one takes some tenths of a
    /// millisecond, and captions must not wait for a crowd at the door.
    private static let beginsPerTurn = 4
    /// The type of a record that holds handshake messages (RFC 8446, section 5.1).
    private static let handshakeRecord: UInt8 = 22
}
