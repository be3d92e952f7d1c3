import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Where guests prove that they are of the crew, by a code of its own and over the connection that they have already.
/// Wrong codes are held against an address as those of the event are (``CodeDesk``).
///
/// Invariant: a guest is in one of `shares`, `checks` and `proven` at most.
final class CrewDesk {
    /// Says something to a guest.
    var say: (VoiceMessage, ConnectionID) -> Void = { _, _ in }
    /// The door was closed to addresses.
    var closed: ([String]) -> Void = { _ in }

    private let record: CodeRecord
    private let loop: any Loop
    private var desk: CodeDesk
    /// Those who wait for the answer to their guess.
    private var shares: [ConnectionID: (share: [UInt8], exporter: [UInt8])] = [:]
    /// Those who have the answer.
    private var checks: [ConnectionID: CodeCheck] = [:]
    private var proven: Set<ConnectionID> = []
    @OwnedTimer private var answering: LoopTimer?
    @OwnedTimer private var looking: LoopTimer?

    /// An answer takes half a millisecond, and captions must not wait for it.
    private static let answersPerTurn = 4

    init(_ record: CodeRecord, guests: Int, timeout: Duration, in surroundings: any Surroundings) {
        self.record = record
        loop = surroundings.network.loop
        desk = CodeDesk(timeout: timeout, seed: surroundings.seed(), limit: guests)
    }

    /// Whether a guest has proved that it knows the code.
    func isProven(_ id: ConnectionID) -> Bool { proven.contains(id) }

    /// A guest goes on with its proof.
    ///
    /// - Parameters:
    ///   - source: what is held against whom.
    ///   - exporter: what only the two ends of the connection have.
    func take(_ step: VoiceCode, from id: ConnectionID, _ source: String, _ exporter: [UInt8]?) {
        guard !proven.contains(id) else { return }
        if let share = step.share, let exporter {
            begin(Array(share), by: id, source, exporter)
        } else if let confirm = step.confirm, let check = checks.removeValue(forKey: id) {
            judge(check.accepts(Array(confirm)), id)
        }
    }

    private func begin(
        _ share: [UInt8], by id: ConnectionID, _ source: String, _ exporter: [UInt8]
    ) {
        guard shares[id] == nil, checks[id] == nil, !desk.isClosed(source, now: loop.uptime) else {
            return refuse(id)
        }
        if let evicted = desk.arrived(id, from: source, now: loop.uptime) {
            fail(evicted)
            guard evicted != id else { return }
        }
        shares[id] = (share, exporter)
        desk.guessed(id)
        answerLater()
        lookLater()
    }

    private func judge(_ isRight: Bool, _ id: ConnectionID) {
        if isRight {
            desk.proved(id)
            proven.insert(id)
            say(.code(VoiceCode()), id)
        } else {
            fail(id)
        }
        answerLater()
    }

    private func fail(_ id: ConnectionID) {
        forget(id)
        refuse(id)
    }

    private func refuse(_ id: ConnectionID) { say(.refused(VoiceRefused(.wrongCode)), id) }

    private func forget(_ id: ConnectionID) {
        (shares[id], checks[id]) = (nil, nil)
        desk.left(id, now: loop.uptime)
        let sources = desk.takeClosures()
        if !sources.isEmpty { closed(sources) }
    }

    /// A guest's connection is gone. Whoever has got an answer and has not confirmed it has guessed.
    func left(_ id: ConnectionID) {
        proven.remove(id)
        forget(id)
        answerLater()
    }

    // MARK: Time

    private func answerLater() {
        guard answering == nil, !shares.isEmpty else { return }
        answering = loop.schedule(after: .zero) { [unowned self] in
            answering = nil
            answer()
        }
    }

    private func answer() {
        let ready = desk.mayGuess(atMost: Self.answersPerTurn, now: loop.uptime)
        for id in ready {
            guard let (share, exporter) = shares.removeValue(forKey: id) else { continue }
            let made = try? CodeCheck(record, of: .crew, share: share, exporter: exporter)
            guard let check = made.flatMap(\.self) else {
                fail(id)
                continue
            }
            checks[id] = check
            say(.code(VoiceCode(share: check.share, confirm: check.confirm)), id)
        }
        if ready.count == Self.answersPerTurn { answerLater() }
    }

    private func lookLater() {
        guard looking == nil, let due = desk.nextDeadline else { return }
        looking = loop.schedule(at: due) { [unowned self] in
            looking = nil
            for id in desk.overdue(now: loop.uptime) { fail(id) }
            answerLater()
            lookLater()
        }
    }
}
