import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Strangers who are to prove the event's code, once their TLS handshake is done.
extension HostReception {
    /// Gives a stranger's examiner what came, and carries out what it wants.
    func examine(_ stranger: Stranger, _ socket: SecureSocket, _ code: CodeRecord) {
        do throws(SecureSocketError) {
            if stranger.examiner == nil { try begin(stranger, socket, code) }
        } catch {
            return leave(stranger, error.clause)
        }
        let said = stranger.takePlaintext()
        let events = said.withUnsafeBytes { stranger.examiner?.receive($0) } ?? []
        for event in events where strangers[stranger.id] === stranger {
            carryOut(event, for: stranger, socket)
        }
    }

    private func begin(
        _ stranger: Stranger, _ socket: SecureSocket, _ code: CodeRecord
    ) throws(SecureSocketError) {
        stranger.examiner = CodeExaminer(
            code, exporter: try socket.exportedKey(), over: stranger.peer?.transport ?? .network)
        book.admitted(stranger.id)
        let evicted = desk.arrived(stranger.id, from: stranger.source, now: Clock.uptime)
        if let evicted, let other = strangers[evicted] {
            leave(other, "had to give way to others who prove the code")
        }
        tellOfClosedDoors()
        lookLater()
        beginSoon()
    }

    private func carryOut(
        _ event: CodeExaminer.Event, for stranger: Stranger, _ socket: SecureSocket
    ) {
        switch event {
        case .say(let bytes): tell(stranger, bytes)
        case .guesses:
            desk.guessed(stranger.id)
            answerLater()
        case .admitted(let handshake):
            desk.proved(stranger.id)
            handOver(stranger, socket, handshake)
        case .wrongCode(let refusal): refuse(stranger, refusal, "gave a wrong code")
        case .refused(let refusal, let why): refuse(stranger, refusal, why)
        case .broken(let why): leave(stranger, why)
        }
    }

    private func refuse(_ stranger: Stranger, _ refusal: [UInt8], _ why: String) {
        _ = try? stranger.tell(refusal)
        stranger.secured?.finishSending()
        leave(stranger, why)
    }

    private func tell(_ stranger: Stranger, _ bytes: [UInt8]) {
        do throws(SecureSocketError) {
            try stranger.tell(bytes)
            let isSent = try stranger.flush()
            stranger.registration?.interest = isSent ? .read : [.read, .write]
        } catch {
            leave(stranger, error.clause)
        }
    }

    // MARK: Guesses

    /// An answer takes half a millisecond, and captions must not wait for a room that comes at once.
    private static let answersPerTurn = 4

    /// Answers those whose turn it is. What they learn by that counts from here on.
    private func answerGuesses() {
        let ready = desk.mayGuess(atMost: Self.answersPerTurn, now: Clock.uptime)
        if ready.count == Self.answersPerTurn { answerLater() }
        for id in ready {
            guard let stranger = strangers[id], let socket = stranger.secured else { continue }
            do throws(TLSError) {
                guard let event = try stranger.examiner?.answer() else { continue }
                carryOut(event, for: stranger, socket)
            } catch {
                leave(stranger, "\(error)")
            }
        }
    }

    /// Somebody has guessed, or is gone, so that another's guess may have its turn: in the next turn
    /// of the loop, a few at a time.
    func answerLater() {
        guard code != nil else { return }
        tellOfClosedDoors()
        guard answering == nil else { return }
        answering = loop.schedule(after: .zero) { [unowned self] in
            answering = nil
            answerGuesses()
        }
    }

    /// Whoever else of such a source is at the door has to go.
    private func tellOfClosedDoors() {
        let sources = desk.takeClosures()
        guard !sources.isEmpty else { return }
        for source in sources { book.hurry(source, now: Clock.uptime) }
        report(sources.map { .doorClosed(source: $0) })
        loop.schedule(after: .zero) { [weak self] in self?.look() }
    }
}
