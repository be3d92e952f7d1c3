import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import FoundationEssentials
import Glibc

@testable import Beamscribe

/// The host's machine: its program in one run after another, its disk, and what it has truly said.
///
/// Invariant: `runs` has every run of the session's host, and the last is the one that is on.
final class Stage {
    let world: World
    let scenario: Scenario
    private(set) lazy var wires = EventWires(world, self)
    private(set) var machine: Machine
    let disk: SimulatedDisk
    /// Nil where nothing is encrypted. The key lies in the host's folder.
    let identities: Identities?
    /// The program that runs, from the moment that it was started.
    private var process: SimulatedProcess?
    /// ... once it has begun to listen.
    private(set) var run: HostRun?
    private(set) var runs: [RunTruth] = []
    private(set) var sessionID: UUID
    private let deviceID: UUID
    /// The sessions that there were so far.
    private(set) var sessions = 1
    /// The event was ended by its operator.
    private(set) var isOver = false
    /// Nobody starts the host again.
    private var isClosed = false
    /// Lines that the session's host could not store, or lost with its power.
    private var mayHaveLost = false
    private var trustsDisk = true
    /// A byte of the session's log has gone bad.
    private var hasRotted = false
    private var tries = 0
    private(set) var speech = Speech()
    /// Whether lines may have times by several clocks.
    var hasOddTimes: Bool { machine.wasSet || hasMoved }
    private var hasMoved = false
    /// Whether so much was said over narrow ways that it takes long to come.
    private(set) var isReadSlowly = false
    private(set) var guests: [SimulatedGuest] = []
    private(set) var phones: [SimulatedPhone] = []
    private(set) var liars: [LyingHolder] = []
    private var visitors: [Visitor] = []
    /// Who writes the host's log, too; nil for nobody.
    private(set) var twin: TwinHost?
    private(set) var isHealed = false
    private(set) var hasLostPower = false
    /// Until when nobody starts the host.
    private var darkUntil = 0

    static let port: UInt16 = 23_267

    init(_ world: World, _ scenario: Scenario) {
        self.world = world
        self.scenario = scenario
        machine = Machine(world)
        disk = SimulatedDisk(world)
        identities = scenario.isSecure ? Identities() : nil
        sessionID = Stage.makeID(world)
        deviceID = Stage.makeID(world)
        disk.whenKilled = { [unowned self] in kill() }
    }

    func isHost(_ process: SimulatedProcess) -> Bool { self.process === process }

    /// Whether the host's program, as it runs now, has the other end of it.
    func leadsToHost(_ connection: Connection) -> Bool {
        process != nil && connection.server === process
    }

    static func makeID(_ world: World) -> UUID {
        withUnsafeBytes(of: (world.seed, world.seed)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    var truth: RunTruth? { runs.last }

    /// The run of a session in which a guest has joined.
    func run(_ session: String?, _ number: Int) -> RunTruth? {
        runs.first { $0.session == session && $0.number == number }
    }

    /// Lines may be withdrawn only where a host has lost them.
    func fault(ofWithdrawalFrom from: Int, _ run: RunTruth) -> String? {
        let losses = runs.filter { $0.number <= run.number && $0.hasLost }
        if losses.contains(where: { $0.began < from }) { return nil }
        return "lines from \(from) are withdrawn, and no host has lost them"
    }

    func enter(_ guest: SimulatedGuest) { guests.append(guest) }
    func enter(_ liar: LyingHolder) { liars.append(liar) }
    func enter(_ phone: SimulatedPhone) { phones.append(phone) }
    func enter(_ visitor: Visitor) { visitors.append(visitor) }

    /// Somebody begins on a copy of the host's folder.
    func beginTwin() { twin = TwinHost(of: self) }

    /// Whether the disk of somebody who keeps the event has lost something, or may have.
    var hasLosingVolume: Bool { guests.contains { $0.volume?.isTrusted == false } }

    /// All logs that were ever written beside the host's.
    var writtenLogs: [WrittenLog] { guests.flatMap { $0.writer?.logs ?? [] } }

    func guest(of process: SimulatedProcess) -> SimulatedGuest? {
        guests.first { $0.process === process }
    }

    // MARK: Starting and ending

    /// Starts the program, on what the disk holds.
    func start() {
        guard process == nil, !isClosed else { return }
        let wait = darkUntil - world.now
        guard wait <= 0 else {
            return machine.schedule(after: wait) { [self] in start() }
        }
        let starting = SimulatedProcess("host", on: machine, wires)
        process = starting
        do {
            try begin(starting)
        } catch {
            // A disk that does not confirm what is there is tried again later.
            world.note("host", "cannot start")
            if process === starting { leave() }
            tryAgain()
        }
    }

    private func tryAgain() {
        tries += 1
        machine.schedule(after: .seconds(1)) { [self, tries] in if tries == self.tries { start() } }
    }

    private func begin(_ starting: SimulatedProcess) throws {
        let store = SessionStore(in: SimulatedFolder(of: starting, on: disk))
        let stored = try open(store)
        if stored == nil, !runs.isEmpty { forgetSession() }
        let texts = stored == nil ? [] : disk.texts
        compare(texts)
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: deviceID, session: sessionID,
            security: HostSecurity(
                Identities.hostKey, code: scenario.hasCode ? Identities.code : nil,
                allowsPlain: identities == nil))
        configuration.storage = stored.map { .resumed($0) } ?? .new(store)
        configuration.port = .number(Self.port)
        configuration.inputFormat = .jsonl
        configuration.bluetooth = .nothing
        configuration.maximumGuests = scenario.maximumGuests
        configuration.history = scenario.history
        configuration.chunk = scenario.chunk
        configuration.timing = scenario.timing
        configuration.writers = scenario.writers > 0 ? .everybody : .nobody
        configuration.endsWithInput = scenario.endsWithInput
        if scenario.lingers { configuration.linger = .seconds(30) }
        let host = try Host(configuration, in: starting)
        guard starting.isAlive else { return }
        let hasLost = truth.map { texts.count < $0.lastSeq } ?? false
        let truth = RunTruth(
            session: sessionID.wireName, number: runs.count + 1, texts: texts, hasLost: hasLost)
        disk.open(after: truth.lastSeq)
        let begun = HostRun(self, starting, host, truth)
        judgeSigning(truth, after: runs.last)
        runs.append(truth)
        speech.forget()
        run = begun
        world.note("host", "starts after line", texts.count)
        do {
            try begun.start()
        } catch {
            // Nobody was let in, and nothing was noted of the run.
            if runs.last === truth { runs.removeLast() }
            throw error
        }
        mayHaveLost = false
    }

    /// A host with a key signs what it says, unless its log has lost lines, or others are in their
    /// place, and from then on never again.
    private func judgeSigning(_ truth: RunTruth, after last: RunTruth?) {
        let wasUnsigned = last.map { $0.signed == nil } ?? false
        let mustNot = !scenario.isSecure || truth.lacksLines || wasUnsigned && truth.lastSeq > 0
        if mustNot, truth.signed != nil { world.fail("host: it signs what it must not") }
        let mayNot = mustNot || hasRotted || wasUnsigned
        if !mayNot, truth.signed == nil { world.fail("host: it signs nothing") }
        guard !hasRotted, let signed = truth.signed, let earlier = last?.signed else { return }
        if !signed.goesOn(from: earlier) {
            world.fail("host: what it has said before hashes to something else now")
        }
    }

    /// Nil where there is none, or its record is none.
    private func open(_ store: SessionStore) throws -> StoredSession? {
        do throws(SessionStoreError) {
            return try store.open(sessionID.wireName)
        } catch {
            switch error {
            case .notFound, .damaged: return nil
            default: throw error
            }
        }
    }

    /// What a run finds must be what the one before it has said.
    private func compare(_ texts: [String?]) {
        guard let truth else { return }
        for (seq, text) in zip(1..., texts) where text.map({ !mayHold($0, at: seq) }) ?? false {
            world.fail("line \(seq) of the log is not what was said")
        }
        let isKept = { (seq: Int) in
            let text = truth.text(of: seq)
            return text == nil || texts.dropFirst(seq - 1).first == text
        }
        let confirmed = Set(1..<truth.confirmed + 1).subtracting(truth.unstored)
        if trustsDisk, let lost = confirmed.sorted().first(where: { !isKept($0) }) {
            world.fail(
                "the disk had confirmed line \(truth.confirmed), and the log, which ends with "
                    + "\(texts.count), lacks line \(lost)")
        }
        if !mayHaveLost, texts.count < truth.newestSent {
            world.fail(
                "a crash has lost lines: the log ends with \(texts.count), "
                    + "guests were sent \(truth.newestSent)")
        }
    }

    /// A line that the last run could not read may be found again, as other damage lets it be seen.
    private func mayHold(_ text: String, at seq: Int) -> Bool {
        let newest = truth?.text(of: seq)
        return text == newest || newest == nil && runs.contains { $0.text(of: seq) == text }
    }

    /// The process is killed; what it has written is kept.
    func kill() {
        guard process != nil else { return }
        world.note("host", "is killed")
        leave()
    }

    /// The process is killed, and for so long nobody starts another.
    func goDark(for duration: Int) {
        kill()
        darkUntil = world.now + duration
    }

    /// Where the event is to be had: at the host, or else at somebody who holds it.
    func source(besides process: SimulatedProcess, _ world: World) -> Endpoint? {
        if run?.isServing ?? false { return Endpoint(wires.hostAddress, port: Stage.port) }
        let holders = guests.filter { $0.isHolder && $0.isRunning && $0.isIn }
        return world.pick(holders).map { Endpoint($0.process.address, port: Stage.port) }
    }

    /// Who seem to be guests, and pass on what they hear.
    var guestsOfLiars: Int {
        wires.connections.count { connection in
            connection.isWhole && leadsToHost(connection)
                && liars.contains { $0.name == connection.guest.name }
        }
    }

    enum Healing { case guests, all }

    func heal(_ healing: Healing) {
        isHealed = true
        for guest in guests {
            guest.machine.wake()
            guest.pause(false)
            guest.volume?.heal()
        }
        twin?.end()
        guard healing == .all else { return }
        darkUntil = 0
        machine.wake()
        disk.heal()
    }

    private func leave() {
        if run?.log.isFailing(.disk) ?? false { (mayHaveLost, trustsDisk) = (true, false) }
        let (dying, ended) = (process, run)
        (process, run) = (nil, nil)
        dying?.die()
        ended?.bury()
        leaveDisk()
    }

    /// A byte on the disk goes bad while no program looks at it, in any line.
    func rot() {
        kill()
        guard disk.rot() else { return }
        world.note("disk", "has a bad byte")
        (mayHaveLost, trustsDisk, hasRotted) = (true, false, true)
    }

    /// Another machine takes the host's place, with the folder of this one.
    func move() {
        kill()
        world.note("host", "moves to another machine")
        hasMoved = true
        machine = Machine(world)
        if world.chance(percent: 50) { wires.renumberHost() }
    }

    func losePower() {
        world.note("host", "loses its power")
        hasLostPower = true
        let connections = wires.connections.filter { $0.hostIsOpen && leadsToHost($0) }
        // Who lies about the event has heard what is lost of it.
        if let log = run?.log { liars.forEach { $0.memory.note(linesOf: log) } }
        kill()
        connections.forEach { $0.die() }
        mayHaveLost = true
        let hadNothing = disk.losePower()
        if hadNothing, world.chance(percent: 30) { disk.erase() }
    }

    /// The disk has not even the session's folder: another one begins.
    private func forgetSession() {
        if !mayHaveLost || truth?.confirmed ?? 0 > 0, trustsDisk {
            world.fail("the session is gone, with \(truth?.confirmed ?? 0) lines confirmed")
        }
        disk.erase()
        (runs, hasRotted) = ([], false)
        sessions += 1
        sessionID = Stage.makeID(world)
        world.note("host", "has lost its session", sessions)
    }

    /// The process has ended by itself.
    func processEnded() {
        world.note("host", "has ended")
        leave()
    }

    /// What a disk has failed to take, and no program writes again, is lost with the power; a new
    /// run can't know of it.
    private func leaveDisk() {
        disk.abandonSynchronization()
        if disk.losesPages { trustsDisk = false }
    }

    /// The run is at its end: the host says goodbye for the last time.
    func close(endingEvent: Bool) {
        isClosed = true
        isOver = endingEvent
        if scenario.endsWithInput { return run?.endInput(endingEvent: true) ?? () }
        run?.stop(endingEvent: endingEvent)
    }

    var isRunning: Bool { process != nil }

    /// What is open was said on the record, and is taken back.
    func goOffRecord() {
        guard let run, !run.isFinishing, !run.isOffRecord else { return }
        speech.forget()
        run.goOffRecord()
    }

    /// The operator types a line, or corrects one.
    func type() {
        guard let run, !run.isFinishing, !machine.isAsleep else { return }
        let last = run.truth.lastSeq
        if last > 0, world.chance(percent: 30) {
            run.type(speech.typed(false, world), correcting: world.random(1...last))
        } else {
            run.type(speech.typed(run.isOffRecord, world))
        }
    }

    /// Others caption: what was open is ended by nobody.
    func forgetOpenLines() { speech.forget() }

    /// The host says what it had heard while others captioned.
    func says(_ text: String) -> Bool { speech.says(text) }

    /// The operator types a line for everybody.
    func typeLine() {
        if let run, !run.isFinishing { run.type(speech.typed(false, world)) }
    }

    /// The input brings a batch of lines.
    func speak() {
        guard !machine.isAsleep else { return }
        run?.speak { [self] in speech.speak(to: $0, scenario, world) }
    }

    /// The input brings so many long lines, for which somebody takes long.
    func speakAtLength(_ lines: Int) {
        isReadSlowly = true
        run?.speak { [self] in speech.speakAtLength(lines, to: $0, world) }
    }

    func end() {
        kill()
        guests.forEach { $0.end() }
        phones.forEach { $0.end() }
        liars.forEach { $0.end() }
        visitors.forEach { $0.leave() }
        twin?.end()
    }

    /// Whether nobody is there who came only to ask.
    var areVisitorsGone: Bool { visitors.allSatisfy { !$0.isThere } }

    /// Guests keep to the protocol: whoever serves them has no fault to find with them, whatever befalls
    /// them.
    func judge(_ why: String, of peer: String, at server: String = "host") {
        guard wires.isGuest(peer) else { return }
        if why.hasPrefix("took nothing"), let age = wires.ageOfLastBytes(to: peer),
            age < .seconds(2)
        {
            world.fail(
                "\(server): it gives up the guest at \(peer), which took some bytes "
                    + "\(age / 1_000) ms ago")
        }
        let isOrdinary = [
            "closed the connection", "was cut off", "was silent", "took nothing", "was refused",
            "was late", "broke its handshake off", "did not finish its handshake",
            "did not close its side",
            "came while too many", "had to give way", "has to begin again",
        ].contains { why.hasPrefix($0) }
        let isMeddledWith =
            why.contains("TLS") && wires.connections.contains(where: \.isTampered)
        let isGuess = why == "gave a wrong code" && scenario.hasCode
        if !isOrdinary, !isMeddledWith, !isGuess {
            world.fail("\(server): it finds fault with the guest at \(peer), which \(why)")
        }
    }
}
