import BeamscribeCore
import FoundationEssentials

/// The host's machine: its program in one run after another, its disk, and what it has truly said.
///
/// Invariant: `runs` has every run of the session's host, and the last is the one that is on.
final class Stage {
    let world: World
    let scenario: Scenario
    private(set) var machine: Machine
    let disk: SimulatedDisk
    /// Nil where nothing is encrypted. The key lies in the host's folder.
    let identities: Identities?
    private(set) var process: HostProcess?
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
    var speech = Speech()
    /// What was last said of the input.
    private(set) var inputTrouble: InputTrouble?

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

    static func makeID(_ world: World) -> UUID {
        withUnsafeBytes(of: (world.seed, world.seed)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    var truth: RunTruth? { runs.last }

    // MARK: Starting and ending

    /// Starts the program, on what the disk holds.
    func start() {
        guard process == nil, !isClosed else { return }
        var recovery = JournalRecovery(
            into: Transcript(limit: scenario.history, chunkSize: scenario.chunk))
        let texts = disk.read(into: &recovery)
        // Sometimes there can be no copy of what would be cut off, so that it stays.
        let isCut = world.chance(percent: 80)
        if isCut { disk.truncate(to: Int(recovery.tail.lowerBound)) }
        let transcript = recovery.transcript(
            logSize: isCut ? recovery.tail.lowerBound : recovery.tail.upperBound)
        // A disk that does not confirm what is there is tried again later.
        guard disk.synchronizeAll() else {
            return machine.schedule(after: .seconds(1)) { [self] in start() }
        }
        disk.open(after: transcript.lastSeq)
        compare(texts)
        begin(transcript, texts)
    }

    private func begin(_ transcript: Transcript, _ texts: [String?]) {
        let hasLost = truth.map { texts.count < $0.lastSeq } ?? false
        let run = RunTruth(
            session: sessionID.wireName, number: runs.count + 1, texts: texts, hasLost: hasLost)
        run.firstInMemory = transcript.firstSeq
        runs.append(run)
        speech.forget()
        inputTrouble = nil
        mayHaveLost = false
        var past = SessionRuns()
        for run in runs.dropFirst() { past.begin(after: run.began) }
        let log = EventLog(
            session: sessionID, runs: past, transcript: transcript, now: machine.now)
        let room = Room(
            Room.Configuration(
                eventName: "Town Hall", deviceName: "stage", deviceID: deviceID,
                maximumGuests: scenario.maximumGuests, timing: scenario.timing),
            serving: log, seed: world.seed)
        process = HostProcess(self, log, room, run)
        world.note("host", "starts after line", texts.count)
    }

    /// What a run finds must be what the one before it has said.
    private func compare(_ texts: [String?]) {
        guard let truth else { return }
        for (index, text) in texts.enumerated() where text != truth.text(of: index + 1) {
            if text != nil { world.fail("line \(index + 1) of the log is not what was said") }
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

    /// The process is killed; what it has written is kept.
    func kill() {
        guard let dying = process else { return }
        world.note("host", "is killed")
        if dying.log.isFailing(.disk) { (mayHaveLost, trustsDisk) = (true, false) }
        process = nil
        dying.die()
        leaveDisk()
    }

    /// A byte on the disk goes bad while no program looks at it, in any line.
    func rot() {
        kill()
        guard disk.rot() else { return }
        world.note("disk", "has a bad byte")
        (mayHaveLost, trustsDisk) = (true, false)
    }

    /// Another machine takes the host's place, with the folder of this one.
    func move() {
        kill()
        world.note("host", "moves to another machine")
        machine = Machine(world)
    }

    func losePower() {
        world.note("host", "loses its power")
        let connections = process?.connections ?? []
        kill()
        connections.forEach { $0.die() }
        mayHaveLost = true
        let hadNothing = disk.losePower()
        if hadNothing, world.chance(percent: 30) { forgetSession() }
    }

    /// The disk had not even the session's folder: another one begins.
    private func forgetSession() {
        disk.erase()
        runs = []
        sessions += 1
        sessionID = Stage.makeID(world)
        world.note("host", "has lost its session", sessions)
    }

    /// The process has ended by itself.
    func processEnded() {
        guard let process else { return }
        world.note("host", "has ended")
        if process.log.isFailing(.disk) { (mayHaveLost, trustsDisk) = (true, false) }
        self.process = nil
        process.die()
        leaveDisk()
    }

    /// What a disk has failed to take, and no program writes again, is lost with the power; a new
    /// run can't know of it.
    private func leaveDisk() {
        disk.abandonSynchronization()
        if disk.losesPages { trustsDisk = false }
    }

    func finish(_ kind: Alert.Kind) {
        process?.finish(kind)
    }

    /// The run is at its end: the host says goodbye for the last time.
    func close(_ kind: Alert.Kind) {
        isClosed = true
        isOver = kind == .ended
        finish(kind)
    }

    // MARK: What it says

    /// The input brings a batch of lines.
    func speak() {
        guard !machine.isAsleep, let process, process.isAlive, !process.isFinishing else { return }
        speech.speak(to: process, scenario)
        if process.isAlive { process.publish() }
    }

    func alert(_ kind: Alert.Kind) {
        guard !machine.isAsleep, let process, !process.isFinishing else { return }
        switch kind {
        case .inputStalled: inputTrouble = .stalled
        case .paused: inputTrouble = .paused
        case .resumed: inputTrouble = nil
        default: break
        }
        process.log.tell(kind, "Something has happened.", now: machine.now)
        process.publish()
    }

    // MARK: What is checked

    /// Before anything is sent, what was published must be whole in the file.
    func checkThatAllIsStored(by process: HostProcess) {
        let log = process.log
        process.truth.newestSent = log.lastSeq
        guard !log.isFailing(.disk) else { return }
        if disk.wholeLines < log.lastSeq {
            world.fail(
                "line \(log.lastSeq) may be sent, but the file ends with line "
                    + "\(disk.wholeLines)")
        }
    }
}
