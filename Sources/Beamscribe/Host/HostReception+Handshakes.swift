import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Strangers' handshakes: who may begin, and what comes of it.
extension HostReception {
    func ready(_ stranger: Stranger, _ readiness: EventLoop.Readiness) {
        if let socket = stranger.secured {
            return shakeHands(stranger, socket, reads: readiness.contains(.read))
        }
        // Of those who wait nothing is asked, so that this is an error, or their end.
        guard !book.isWaiting(stranger.id) else {
            forget(stranger)
            return
        }
        listen(to: stranger)
    }

    /// Hears a stranger whose handshake has not begun. Whoever only looks whether the port answers
    /// says nothing and goes: no news.
    func listen(to stranger: Stranger) {
        switch stranger.listen(into: scratch) {
        case .gone: forget(stranger)
        case .incomplete: return
        case .complete:
            // What else it says waits with the kernel.
            stranger.registration?.interest = []
            book.spoke(stranger.id, now: Clock.uptime)
            beginSoon()
        }
    }

    /// Lets those begin who wait for their turn: once guests have had theirs, and once all are in
    /// whom the kernel has told of, so that the choice is among them.
    func beginSoon() {
        guard book.waitingCount > 0 else { return }
        beginning?.cancel()
        beginning = loop.schedule(after: .zero) { [unowned self] in beginWaiting() }
    }

    /// Begins with those whose turn it is, a few at a time.
    private func beginWaiting() {
        beginning = nil
        for _ in 0..<Self.beginsPerTurn {
            switch book.next(now: Clock.uptime) {
            case .nobody: return
            case .later(let due):
                beginning?.cancel()
                beginning = loop.schedule(at: due) { [unowned self] in beginWaiting() }
                return
            case .now(let id, let other):
                if let other { sendAway(other) }
                if let stranger = strangers[id] { begin(stranger) }
            }
        }
        beginSoon()
    }

    private func begin(_ stranger: Stranger) {
        // Who has gone while it waited costs no computing.
        guard stranger.listen(into: scratch) != .gone else {
            forget(stranger)
            return
        }
        lookLater()
        stranger.registration?.interest = .read
        stranger.takeFirstWords().withUnsafeBytes { hear(stranger, $0) }
    }

    /// The first byte tells a TLS handshake (22) from the length of a plain frame (0).
    private func hear(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        if first.first == Stranger.handshakeRecord {
            secure(stranger, first)
        } else if allowsPlain {
            admitPlainly(stranger, Array(first))
        } else {
            refusePlain(stranger, first)
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
}
