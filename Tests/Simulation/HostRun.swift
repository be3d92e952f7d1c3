import BeamscribeIO
import FoundationEssentials

@testable import Beamscribe
@testable import BeamscribeCore

/// One run of the host's program: the real ``Host``, and what it tells its operator.
final class HostRun {
    let process: SimulatedProcess
    let truth: RunTruth
    let log: EventLog
    private let stage: Stage
    private let host: Host
    private(set) var isFinishing = false
    /// Whether it lets guests in: one that cannot start sends away who has come already.
    private(set) var isServing = false
    /// What was last said of the input.
    private(set) var inputTrouble: InputTrouble?
    private var hasInputEnded = false
    private var gate = InputGate.open
    /// Whether nothing of what is said is meant for anybody.
    var isOffRecord: Bool { gate == .offRecord }
    /// Whether it writes what is said.
    var isOnAir: Bool { host.assumeIsolated { $0.isOnAir } }
    /// The writers whom its operator has put out or let in again in this run.
    private(set) var putOut: [Fingerprint: Bool] = [:]
    /// The logs of which it has told that two write them.
    private(set) var forks: Set<String> = []
    /// Whether the operator was told so.
    private var isStorageFailing = false
    /// Sends until the process is killed in the middle of one; nil for never.
    var sendsUntilKilled: Int?
    private let encoder = EventStreamEncoder()
    private var phones: [PhoneStream] = []
    private var sentBytes = 0
    private var world: World { stage.world }

    /// Starts the program.
    ///
    /// - Throws: where it ends at once, for want of a disk that confirms what is there.
    init(_ stage: Stage, _ process: SimulatedProcess, _ host: Host, _ truth: RunTruth) {
        self.stage = stage
        self.process = process
        self.truth = truth
        self.host = host
        nonisolated(unsafe) var itsLog: EventLog?
        host.assumeIsolated { itsLog = $0.log }
        log = itsLog!
        truth.firstInMemory = log.firstSeq
        if log.runs.current != truth.number {
            world.fail("host: it is run \(truth.number), and counts \(log.runs.current)")
        }
        if log.isSigned { truth.signed = SignedLines(of: log, run: truth.number) }
        process.beforeSending = { [unowned self] in sends() }
        process.beforeWork = { [unowned self] in self.stage.disk.beginSynchronization() }
        process.afterTurn = { [unowned self] in turned() }
    }

    func start() throws(StartError) {
        var failure: StartError?
        host.assumeIsolated { host in
            do throws(StartError) {
                try host.start()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        isServing = true
        if process.isAlive { turned() }
        openFeed()
        checkLater()
        beatLater()
    }

    /// The program is no more. Its objects go, once nothing of them is under way.
    func bury() {
        process.die()
        phones.forEach { $0.end() }
        phones = []
        world.schedule(after: 0) { [host] in
            // The second time it waits for nobody.
            host.assumeIsolated { $0.stop() }
            host.assumeIsolated { $0.stop() }
        }
    }

    // MARK: What its operator does

    func speak(_ make: @escaping (HostRun) -> String) {
        guard !isFinishing else { return }
        process.input?.bring { [unowned self] in make(self) }
    }

    /// Whoever speaks goes, which is not the end of the event unless the operator has wished so.
    func endInput(endingEvent isOver: Bool = false) {
        world.note("host", "hears the last")
        if isOver { isFinishing = true }
        process.input?.end()
    }

    func stop(endingEvent isOver: Bool) {
        guard !isFinishing else { return }
        world.note("host", "says goodbye")
        isFinishing = true
        process.run { host.assumeIsolated { isOver ? $0.endEvent() : $0.stop() } }
    }

    func goOffRecord() { operate { $0.goOffRecord() } }
    func pause() { operate { $0.pause() } }
    func resume() { operate { $0.resume() } }
    func mark() { operate { $0.mark() } }
    func takeAir() { operate { _ = $0.takeAir() } }
    func handAir(to session: String) { operate { _ = $0.handAir(to: session) } }

    /// Puts a writer out, or lets them in again.
    func change(_ writer: Fingerprint, isPutOut: Bool) {
        guard !isFinishing, let pin = FingerprintPin(writer.hex) else { return }
        world.note("host", isPutOut ? "puts a writer out" : "lets a writer in again")
        putOut[writer] = isPutOut
        operate { isPutOut ? $0.putOut(writer) : $0.admit(.keys([pin])) }
    }

    /// The logs of others that the host lets in, and whether their writers are put out.
    var writers: [(title: LogTitle, isPutOut: Bool)] { host.assumeIsolated { $0.writers } }

    /// The logs whose writers ask the host to be let in.
    var writersAsking: [LogTitle] { host.assumeIsolated { $0.writersAsking } }

    /// The last lines of the logs whose writers are put out, as the host's signed word has them.
    var ends: [String: Int] {
        guard let frame = log.head(stage.scenario.timing, now: process.machine.now),
            case .head(let head)? = frame.dropFirst(FrameDecoder.prefixLength).withUnsafeBytes({
                try? PacketDecoder().packet($0)
            })
        else { return [:] }
        return Dictionary(
            (head.putOut ?? []).map { ($0.session, $0.until) }, uniquingKeysWith: max)
    }

    /// Types a line beside the input, or says line `seq` anew. Nothing is lost that was taken.
    func type(_ text: String, correcting seq: Int? = nil) {
        let isOut = seq != nil || !isOffRecord && isOnAir
        if isOut { truth.add(text) }
        let refusal = isOnAir ? TypedOutcome.offRecord : .offAir
        let due = isOut ? TypedOutcome.sent(truth.lastSeq) : refusal
        nonisolated(unsafe) var outcome: TypedOutcome?
        operate { host in
            outcome = seq.map { host.correct($0, text: text) } ?? host.type(text)
        }
        if process.isAlive, outcome != due {
            world.fail("host: what was typed is \(outcome.map { "\($0)" } ?? "gone"), not \(due)")
        }
    }

    private func operate(_ body: @Sendable (isolated Host) -> Void) {
        guard !isFinishing else { return }
        process.run { host.assumeIsolated { body($0) } }
    }

    // MARK: Phones

    func add(_ phone: PhoneStream) { phones.append(phone) }

    private var source: FeedSource { host.assumeIsolated { $0.feed } }

    func arrival(after marks: FeedMarks, tail: Int?) -> (FeedGreeting, FeedPlace) {
        source.assumeIsolated { $0.arrival(after: marks, tail: tail) }
    }

    func feed(from position: FeedPlace) -> FeedBatch {
        source.assumeIsolated { [encoder] in $0.feed(from: position, by: encoder) }
    }

    var greeting: FeedGreeting { source.assumeIsolated { $0.greeting() } }

    func history(_ range: ClosedRange<Int>) -> HistoryPiece? {
        source.assumeIsolated { $0.history(range) }
    }

    private func openFeed() {
        nonisolated(unsafe) let run = self
        source.assumeIsolated { [encoder] in
            $0.openFeed(encoder) { batch in
                run.process.soon {
                    run.phones.forEach { $0.take(batch) }
                    run.source.assumeIsolated { $0.feedTaken() }
                }
            }
        }
    }

    private func beatLater() {
        process.machine.schedule(after: .seconds(5)) { [weak self] in
            guard let self, process.isAlive else { return }
            let beat = EventStreamEncoder.event(
                "beat", json: Array("{\"lastSeq\":\(log.lastSeq)}".utf8))
            phones.forEach { $0.beat(beat) }
            phones.removeAll { !$0.isOpen }
            beatLater()
        }
    }

    // MARK: What is checked

    /// Before anything is sent, what was published must be whole in the file.
    private func sends() {
        truth.newestSent = log.lastSeq
        if !log.isFailing(.disk), stage.disk.wholeLines < log.lastSeq {
            world.fail(
                "line \(log.lastSeq) may be sent, but the file ends with line "
                    + "\(stage.disk.wholeLines)")
        }
        if let fault = truth.signed?.fault(in: log) { world.fail("host: \(fault)") }
        guard let left = sendsUntilKilled else { return }
        sendsUntilKilled = left - 1
        if left == 0 { stage.kill() }
    }

    private func turned() {
        truth.note(linesThrough: log.lastSeq, at: world.now)
        truth.firstInMemory = log.firstSeq
        addHeard()
        if log.lastSeq != truth.lastSeq {
            world.fail("host: it has said \(log.lastSeq) lines, and was told \(truth.lastSeq)")
        }
        if log.unconfirmed(.disk) == nil, !log.isFailing(.disk) {
            truth.confirmed = log.lastSeq
        }
        for news in host.news.takeWaiting() { hear(news) }
        if host.assumeIsolated({ $0.isOffAir }) { fallSilent() }
    }

    /// Others caption: nothing that is only begun is to be seen of this one.
    private func fallSilent() {
        stage.forgetOpenLines()
        if host.assumeIsolated({ !$0.view().open.isEmpty }) {
            world.fail("host: it shows an open line while others caption")
        }
    }

    /// Where nobody else is heard who captions, it begins with what it has heard since.
    private func addHeard() {
        while truth.lastSeq < log.lastSeq, isOnAir,
            let line = log.final(truth.lastSeq + 1), stage.says(line.text)
        {
            truth.add(line.text)
        }
    }

    private func hear(_ news: HostNews) {
        switch news {
        case .guests(.storageGap(let from, let through), _):
            truth.unstored.formUnion(from...through)
            if !isStorageFailing {
                world.fail("line \(from) went from memory before it was stored")
            }
        case .guests(.storageFailed, _): isStorageFailing = true
        case .guests(.storageRestored, _): isStorageFailing = false
        case .guests(.connectionRefused(let peer, let why), _): stage.judge(why, of: peer)
        case .guests(.guestLeft(let guest, let why, _), _): stage.judge(why, of: guest.peer)
        case .guests(.logStands(let log, .forked), _): forks.insert(log.session)
        case .gate(let gate):
            self.gate = gate
            inputTrouble = gate == .open && !isOnAir ? .offAir : troubleOnAir
        case .air(.on): inputTrouble = troubleOnAir
        case .air(.off):
            inputTrouble = .offAir
        case .inputStalled: tellTrouble(.stalled)
        case .inputResumed: tellTrouble(nil)
        case .inputEnded:
            hasInputEnded = true
            if !isOffRecord, inputTrouble != .paused { tellTrouble(.ended) }
        case .finished: stage.processEnded()
        default: break
        }
    }

    /// While others caption nobody needs to know what becomes of the input.
    private func tellTrouble(_ trouble: InputTrouble?) {
        if inputTrouble != .offAir { inputTrouble = trouble }
    }

    private var troubleOnAir: InputTrouble? {
        switch gate {
        case .open: hasInputEnded ? .ended : nil
        case .paused: .paused
        case .offRecord: .offRecord
        }
    }

    /// What the operator sees of the event must be so.
    private func checkFigures() {
        let figures = host.assumeIsolated { $0.metrics() }
        let most = stage.scenario.history + stage.scenario.chunk + Limits.journalFramePayload
        if figures.lines != truth.lastSeq { world.fail("host: it counts \(figures.lines) lines") }
        if figures.transcriptBytes > most {
            world.fail("host: it keeps \(figures.transcriptBytes) bytes of lines")
        }
        if !(0...truth.lastSeq).contains(figures.guestLag) {
            world.fail("host: a guest is \(figures.guestLag) lines behind")
        }
        if figures.sentBytes < sentBytes || figures.inputAge < 0 {
            world.fail("host: it has sent less than before, or knows of what is to come")
        }
        sentBytes = figures.sentBytes
    }

    /// Whether all guests that are there were sent all that was said.
    var hasSentAll: Bool { host.assumeIsolated { $0.metrics().guestLag } == 0 }

    /// Whether it counts those guests who are there, and nobody else.
    func fault(ofCounting present: ClosedRange<Int>) -> String? {
        let (counts, reports) = host.assumeIsolated { ($0.metrics().counts, $0.guestReports()) }
        guard isFinishing || present.contains(counts.stable) else {
            return "host: it counts \(counts.stable) guests, and \(present) are there"
        }
        let names = Set(stage.guests.map(\.name))
        let unknown = reports.guests.first {
            $0.state != .connecting && !names.contains($0.guest.name)
        }
        return unknown.map { "host: it reports a guest by the name of \($0.guest.name)" }
    }

    private func checkLater() {
        process.machine.schedule(after: .seconds(1)) { [weak self] in
            guard let self, process.isAlive else { return }
            if let broken = host.assumeIsolated({ $0.brokenInvariant }) {
                world.fail("host: \(broken)")
            }
            checkFigures()
            checkLater()
        }
    }
}
