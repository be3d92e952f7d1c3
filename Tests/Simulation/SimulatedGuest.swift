import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

@testable import Beamscribe

/// A guest's machine, and the real ``Guest`` that runs on it, one program after another.
final class SimulatedGuest {
    let stage: Stage
    let name: String
    let machine: Machine
    let device: UUID
    private let wires: EventWires
    private let start: GuestSession.Start
    private(set) var process: SimulatedProcess
    private var guest: Guest?
    private(set) var view: GuestView
    /// What it has shown of the event's other logs since it was started.
    private(set) var others: OtherLogsView
    /// Its own captions; nil where it only reads.
    private(set) var writer: SimulatedWriter?
    private(set) var outcome: GuestOutcome?
    private var isGone = false
    /// Whether the reader takes nothing.
    private(set) var isPaused = false
    /// The time at which it last read on.
    private var readsSince = 0
    /// What an earlier moment's position and view were: what a restart may find.
    private var saved: (position: Handshake.Resume, view: GuestView)?
    private var joinedAt: Int?
    private var lostAt: Int?
    private weak var joinedBy: Connection?
    /// Whether the user has told it the host's key.
    private let isPinned: Bool
    private var hasJoined = false
    /// Whether its program has been let in since it was started.
    private(set) var hasMetHost = false
    /// What its user's file of hosts holds.
    private var memory = KnownHosts()
    /// How many have tried to pass for the host since it was started, and since it was let in last.
    private var refusals = 0
    private var liesInRow = 0
    /// What it takes for the event's code; nil where it has none.
    private(set) var code: CodeSecret?
    /// The round trip of its last exchange of clocks with the host, in seconds.
    private var hostRoundTrip = 0.0
    private var dialledAt = 0
    /// How often its program was started.
    private(set) var starts = 0
    /// Another guest uses the same device's id.
    var sharesDevice = false
    /// The machine's number where it serves the event to others; nil where it only reads.
    let holderNumber: Int?
    var isHolder: Bool { holderNumber != nil }
    /// The newest line that its readers had when its program ended; nil where nothing is kept.
    private var servedThrough: Int?
    /// The newest line of those who read from here.
    private var newestServed: Int {
        stage.guests.filter {
            $0.isIn && $0.connection?.server === process && $0.view.session == view.session
        }.map { $0.view.lines.last?.seq ?? 0 }.max() ?? 0
    }
    /// The lines that it had kept when it began, and did not show.
    private var keptThrough = 0
    /// The event that it has kept last.
    private var keptSession: String?
    /// The disk with the event; nil if the event is in memory alone.
    private(set) var volume: SimulatedVolume?
    /// Who it is told by its user to read from; the host, unless it is told otherwise.
    var firstAddress = EventWires.firstAddress
    /// The line that it was last seen to lack though it says that all is well, and since when; nil
    /// where there was none.
    private var lacks: (session: String, seq: Int, text: String?, since: Int)?
    /// So that the host can't tell what it has said first.
    private(set) var clockWasSet = false
    /// Whether it has come to who writes the host's log, too.
    private(set) var hasMetTwin = false
    /// Whether it has joined that one last.
    private var isWithTwin = false
    private var world: World { stage.world }

    init(
        _ stage: Stage, _ wires: EventWires, name: String, device: UUID, start: GuestSession.Start,
        isPinned: Bool, holderNumber: Int? = nil, writerNumber: Int? = nil
    ) {
        self.stage = stage
        self.wires = wires
        self.name = name
        self.device = device
        self.start = start
        self.isPinned = isPinned && stage.identities != nil
        self.holderNumber = holderNumber
        machine = Machine(stage.world)
        process = SimulatedProcess(
            name, on: machine, wires, at: holderNumber.map(EventWires.address(ofHolder:)))
        view = GuestView(start)
        others = OtherLogsView(start)
        writer = writerNumber.map { SimulatedWriter(stage, on: machine, number: $0) }
        if stage.scenario.holding != nil { watchLater() }
        if isHolder, stage.scenario.holdersKeep {
            let volume = SimulatedVolume(world)
            volume.whenKilled = { [unowned self] in restart() }
            self.volume = volume
        }
        guard stage.scenario.hasCode, world.chance(percent: 95) else { return }
        code = world.chance(percent: 85) ? .sample : .otherSample
    }

    /// Whether it may be let in, as far as the event's code goes.
    var mayCome: Bool { !stage.scenario.hasCode || code == .sample }

    func begin(after position: Handshake.Resume? = nil) {
        (starts, hasMetHost, serves, keptThrough) = (starts + 1, false, false, 0)
        process = SimulatedProcess(
            name, on: machine, wires, at: holderNumber.map(EventWires.address(ofHolder:)))
        process.afterTurn = { [unowned self] in turned() }
        process.beforeDialling = { [unowned self] in checkPause() }
        if let volume { process.beforeWork = { volume.beginSynchronization() } }
        let made = try! Guest(configuration(after: position), in: process)
        guest = made
        process.run { made.assumeIsolated { $0.start() } }
        judgeKept()
    }

    /// Nobody was given a line that is not on the disk, unless that has lost it, or the host has.
    private func judgeKept() {
        guard let servedThrough, volume?.isTrusted == true,
            !stage.runs.contains(where: \.hasLost), position < servedThrough
        else { return }
        world.fail("\(name): it has served line \(servedThrough), and has kept line \(position)")
    }

    private func configuration(after position: Handshake.Resume?) -> GuestConfiguration {
        var session = GuestSession.Configuration(displayName: name)
        session.start = start
        session.resume = position
        session.timing = stage.scenario.timing
        let endpoint = Endpoint(firstAddress, port: Stage.port)
        var security = stage.identities == nil ? GuestSecurity.plain : GuestSecurity()
        security.keys.known = memory
        security.keys.announced.address = "\(endpoint)"
        if isPinned {
            security.keys.pin = stage.identities.flatMap { FingerprintPin($0.host.fingerprint.hex) }
        }
        if let code {
            security.code = try! EventCode("48217730")
            security.makeSecret = { _, _ in code }
        }
        var configuration = GuestConfiguration(
            target: .endpoints([endpoint], name: "\(endpoint)"), session: session,
            device: DeviceSecret(device), security: security)
        configuration.usesBluetooth = false
        configuration.waitingEvents = stage.scenario.waitingEvents
        configuration.holding = holderNumber.map(holding)
        return configuration
    }

    private func holding(_ number: Int) -> HoldingConfiguration {
        let key = Identities.holderKeys[number % Identities.holderKeys.count]
        var holding = HoldingConfiguration(
            deviceName: name, deviceID: device,
            security: HostSecurity(key, code: stage.scenario.hasCode ? Identities.code : nil))
        holding.timing = stage.scenario.timing
        if let volume {
            let store = SessionStore(in: SimulatedFolder(of: process, on: volume))
            var keeping = HoldingConfiguration.Keeping(in: store)
            keeping.kept = keptSession.flatMap { try? store.openHeld($0) }
            holding.keeping = keeping
        }
        return holding
    }

    // MARK: What there is to see

    var connection: Connection? { wires.connection(of: process) }
    /// Whether the host has let it in, as far as it knows.
    var isIn: Bool { connection != nil && joinedAt != nil }
    var isRunning: Bool { outcome == nil && !isGone }
    /// The newest line that it has, shown or not.
    var position: Int { guest?.assumeIsolated { $0.position?.after } ?? 0 }
    /// The run of the host in which it got that.
    private var run: Int { guest?.assumeIsolated { $0.position?.run } ?? 0 }
    /// Whether others can come to it for the event.
    private(set) var serves = false
    /// Whether it reads from one.
    var isWithLiar: Bool { connection?.isLiedOn ?? false }
    /// Whether the last to answer it has lied.
    var comesFromLiar: Bool { newestConnection?.isLiedOn ?? false }
    /// The last that it has made, open or not.
    private var newestConnection: Connection? {
        wires.connections.last { $0.guest === process && $0.server != nil }
    }
    /// Whether it has nothing of the event yet.
    var isJoining: Bool { view.session == nil }
    /// Whether somebody who served it has lied.
    var wasLiedTo: Bool { wires.connections.contains { $0.guest === process && $0.isLiedOn } }
    /// Whether it can tell the host from others.
    var knowsHost: Bool { isPinned || memory.count > 0 }
    /// Whether it hears what somebody with another key has to say: with a fingerprint in hand it takes the
    /// host's words from anybody.
    var mayGreetStrangers: Bool { knowsWriter && !hasMetHost }
    /// Whether it knows who has signed the event, by a fingerprint or by what it has kept.
    private var knowsWriter: Bool { isPinned || volume != nil && keptSession != nil }
    /// Whether somebody else may have been heard so.
    var hasMetStrangers: Bool { knowsWriter && refusals > 0 }
    /// Whether the guest may end for those who are not the host, or seem not to be.
    var mayGiveUp: Bool { refusals > 0 && !hasJoined || refusals + tamperings > 2 }
    /// How many of its connections somebody has meddled with.
    var tamperings: Int { wires.connections.count { $0.guest === process && $0.isTampered } }

    // MARK: What it tells

    private func turned() {
        guard let guest else { return }
        for news in guest.news.takeWaiting() { hear(news) }
        guard !isPaused else { return }
        let events = guest.events.takeWaiting()
        for (index, event) in events.enumerated() { take(event, before: events[(index + 1)...]) }
        let ended: GuestOutcome? = guest.assumeIsolated { $0.outcome }
        guard isRunning, let ended else { return }
        world.note(name, "is done")
        outcome = ended
        if isHolder { part() } else { bury() }
        if let fault = GuestVerdict(self).fault(of: ended) { world.fail("\(name): \(fault)") }
    }

    /// - Parameter next: what is told behind it.
    private func take(_ event: GuestEvent, before next: ArraySlice<GuestEvent>) {
        switch event {
        // A holder tells of the kept event before it connects.
        case .joined(let joined) where joined.isKept:
            world.note(name, "goes on with what it has kept")
            // A reader who wants the next lines wants none of the kept ones.
            if start == .next { return keptThrough = position }
        case .joined(let joined): join(joined)
        case .line(let line):
            show(line.text, "shows line", line.seq)
            judgeLatency(of: line)
        case .gap(_, let through): world.note(name, "is told of a gap to", through)
        case .withdrawn(let from, _): world.note(name, "withdraws from", from)
        case .partial(let partial):
            if !partial.text.isEmpty, !stage.speech.hasWhispered(partial.text) {
                world.fail("\(name): it shows an open line that nobody has begun")
            }
            show(partial.text, "shows a partial", partial.text.utf8.count)
        case .trouble: lose()
        // In the same try there are other ways yet.
        case .turnedAway: liesInRow -= 1
        case .begunAnew: world.note(name, "hears of a new session")
        case .inLog(let log, let event):
            if case .line(let line) = event { world.note(name, "shows another's line", line.seq) }
            if let fault = others.take(
                event, of: log, among: stage.writtenLogs, mayLack: stage.hasLosingVolume)
            {
                world.fail("\(name): \(fault)")
            }
        case .isRead where writer == nil: world.fail("\(name): it is read, and writes nothing")
        case .isRead: writer?.isRead()
        case .state, .alert, .stillLost, .stats, .log, .isPutOut: break
        }
        if case .withdrawn(let from, _) = event, keptThrough > 0 {
            // It did not show these lines.
            keptThrough = min(keptThrough, from - 1)
            if from > view.last ?? 0 { return }
        }
        let source = run(of: event, before: next)
        let shown = view.take(event, from: source)
        if case .joined(let joined) = event, joined.session == keptSession {
            view.skip(through: keptThrough)
        }
        if let fault = shown.flatMap({ isReplay(event) || isLetGo(event) ? nil : $0 })
            ?? GuestVerdict(self).fault(of: event, source)
        {
            world.fail("\(name): \(fault)")
        }
        if case .line = event, world.chance(percent: 10) { save() }
    }

    /// What the host has said of an open line can be said again, until the liar is left.
    private func isReplay(_ event: GuestEvent) -> Bool {
        guard case .partial = event else { return false }
        // The last words may be told once the connection is gone.
        return isWithLiar || connection == nil && comesFromLiar
    }

    /// A holder may have let go lines that its host has in memory, or lost them with its disk.
    private func isLetGo(_ event: GuestEvent) -> Bool {
        guard case .gap = event else { return false }
        return stage.hasLosingVolume
            || stage.scenario.isForgetful && connection.map { !stage.leadsToHost($0) } ?? false
    }

    private func show(_ text: String, _ what: StaticString, _ number: Int) {
        world.note(name, what, number)
        if text.hasPrefix("secret") { world.fail("\(name): it shows what was off the record") }
    }

    /// Judges the delay that a line is told to have, whatever the clocks show. It has to be right
    /// on the host's connection, and may be too small on a holder's, who may delay all lines.
    ///
    /// Left out are lines of two machines, lines from before a clock was set, and lines that the
    /// host heard while another captioned.
    private func judgeLatency(of line: TranscriptLine) {
        guard let connection, !connection.isForged, !isWithTwin, !isPaused, !machine.wasSet,
            !stage.hasOddTimes, !line.text.hasPrefix("heard"),
            let said = stage.run(view.session, view.run)?.times[line.seq], said >= readsSince
        else { return }
        let isAtHost = stage.leadsToHost(connection)
        if isAtHost { hostRoundTrip = guest?.assumeIsolated { $0.roundTrip } ?? hostRoundTrip }
        let delay = Double(world.now - said) * 1e-6
        // Lines that came with the answer are timed by that answer's round trip.
        let wait = joinedAt == world.now ? Double(world.now - dialledAt) * 1e-6 : 0
        let error = 1 + max(hostRoundTrip, wait)
        if isAtHost && line.latency < delay - error || line.latency > delay + error {
            world.fail(
                "\(name): line \(line.seq) came after \(delay) s, and is told to be "
                    + "\(line.latency) s late")
        }
    }

    /// The run that an event is of: a guest is told first what it has to forget, and then whom it joins.
    private func run(of event: GuestEvent, before next: ArraySlice<GuestEvent>) -> RunTruth? {
        guard case .withdrawn = event else {
            return isWithTwin ? stage.twin?.truth : stage.run(view.session, view.run)
        }
        for case .joined(let joined) in next {
            return stage.run(joined.session, joined.runs.current)
        }
        return nil
    }

    private func join(_ joined: JoinedEvent) {
        (joinedAt, lostAt, hasJoined, liesInRow) = (world.now, nil, true, 0)
        joinedBy = newestConnection
        hasMetHost = true
        isWithTwin = joined.deviceName == TwinHost.name
        world.note(name, "joins")
        if !mayCome { world.fail("\(name): it joins without the event's code") }
        let host = stage.identities?.host.fingerprint
        if joined.security.fingerprint != host || host == nil && joined.security != .plain {
            world.fail("\(name): it joins \(joined.security)")
        }
        let run = stage.run(joined.session, joined.runs.current)
        if let run, joined.isSigned != (run.signed != nil) {
            world.fail("\(name): it \(joined.isSigned ? "asks" : "does not ask") for signatures")
        }
        if let guest { writer?.joined(joined, by: guest, in: process) }
        // A holder of an older run would give it lines that the host has said otherwise since.
        if let holder = connection?.server.flatMap(stage.guest(of:)), holder.run < self.run,
            holder.view.session == joined.session
        {
            world.fail(
                "\(name): it has run \(self.run), and \(holder.name) serves it run \(holder.run)")
        }
        guard let host else { return }
        let introduction = Introduction(
            address: "\(EventWires.firstAddress):\(Stage.port)", device: joined.deviceName,
            event: joined.eventName, hasCode: joined.security.provesCode)
        memory.remember(host, of: introduction, at: machine.now.wall)
    }

    /// An impostor is about to answer it.
    func meetsImpostor() { refusals += 1 }

    /// Whoever has a copy of the host's folder is about to answer it.
    func meetsTwin() {
        world.note(name, "is led to the host's twin")
        hasMetTwin = true
    }

    /// It has finished a handshake with an impostor: three tries in a row that end so are the end.
    func isLiedTo() {
        liesInRow += 1
        if liesInRow > 3, !isPaused {
            world.fail("\(name): it goes on after \(liesInRow) impostors")
        }
    }

    // MARK: Pauses between tries

    private func lose() {
        // It may lose another than it had joined by: one with which it looked for the host.
        let held =
            joinedBy === newestConnection
            && joinedAt.map { world.now - $0 >= .seconds(4) } ?? false
        lostAt = held ? world.now : nil
        joinedAt = nil
    }

    /// After a connection that has held the first try comes at once.
    private func checkPause() {
        world.note(name, "dials")
        dialledAt = world.now
        guard let lostAt, machine.asleepUntil < lostAt else { return }
        if world.now - lostAt > .milliseconds(2) {
            world.fail(
                "\(name): its connection had held, and it waited "
                    + "\((world.now - lostAt) / 1_000) ms before it tried again")
        }
        self.lostAt = nil
    }

    // MARK: What befalls it

    func pause(_ isPaused: Bool) {
        guard isRunning, isPaused != self.isPaused else { return }
        world.note(name, isPaused ? "pauses" : "reads on")
        self.isPaused = isPaused
        readsSince = world.now
        // Who reads late does not know when it was lost.
        (joinedAt, lostAt) = (joinedAt.map { _ in world.now }, nil)
        if !isPaused { process.soon {} }
    }

    func setClock() {
        machine.setClock()
        clockWasSet = true
    }

    func hearNews() { process.changeAddresses() }

    func leave() {
        world.note(name, "leaves")
        isGone = true
        if let leaving = guest { process.run { leaving.assumeIsolated { $0.stop() } } }
        if isHolder { part() } else { bury() }
    }

    private func save() {
        guard let session = view.session, let last = view.last else { return }
        saved = (Handshake.Resume(session: session, after: last, run: view.run), view)
    }

    /// The program is killed, and started again with what it had saved.
    ///
    /// - Parameter meanwhile: what befalls its machine before that.
    func restart(after meanwhile: () -> Void = {}) {
        guard isRunning else { return }
        world.note(name, "is started anew", saved?.position.after ?? 0)
        if view.session != nil { keptSession = view.session }
        servedThrough = volume == nil ? nil : newestServed
        bury()
        volume?.leave()
        meanwhile()
        if world.chance(percent: 50) { save() }
        // What a holder has shown is not kept for others, who would miss it.
        // Nor does it know again what it had been told of a log that two write.
        if isHolder || stage.twin != nil { saved = nil }
        view = saved?.view.restarted ?? GuestView(start)
        others = OtherLogsView(start)
        (joinedAt, lostAt, isPaused) = (nil, nil, false)
        (hasJoined, refusals, liesInRow) = (saved != nil, 0, 0)
        begin(after: saved?.position)
    }

    /// The program is no more. Its objects go, once nothing of them is under way.
    private func bury() {
        process.die()
        writer?.bury()
        guard let buried = guest else { return }
        world.schedule(after: 0) {
            buried.assumeIsolated { $0.stop() }
            // The second time it waits for nobody who reads from here.
            buried.assumeIsolated { $0.stop() }
        }
        guest = nil
    }

    func end() { bury() }
}

// MARK: - What it claims

extension SimulatedGuest {
    /// How long it may say that all is well while it lacks a line: its host's silence is told after
    /// ten seconds, and a line that is kept back makes it leave after six.
    private static let longestStaleness = Int.seconds(25)

    fileprivate func watchLater() {
        machine.schedule(after: .seconds(1)) { [weak self] in
            guard let self, !isGone, outcome == nil else { return }
            watch()
            watchLater()
        }
    }

    /// What is said comes within that time, or the reader is told that it may lack something.
    private func watch() {
        guard !isPaused, view.isCurrent, isIn, connection?.down.pace == 0, !stage.isReadSlowly,
            let truth = stage.run(view.session, stage.truth?.number ?? 0)
        else { return lacks = nil }
        // A host may have lost it since.
        if let lacks, lacks.session == truth.session, truth.text(of: lacks.seq) == lacks.text,
            !view.reaches(lacks.seq)
        {
            guard world.now - lacks.since > Self.longestStaleness else { return }
            world.fail("\(name): it lacks line \(lacks.seq), and says that all is well")
        }
        let newest = truth.newestSent
        lacks = (truth.session, newest, truth.text(of: newest), world.now)
    }
}

// MARK: - Serving the event

extension SimulatedGuest {
    /// Who reads from here is given the rest.
    fileprivate func part() {
        let parting = process
        machine.schedule(after: .seconds(90)) { [weak self] in
            if let self, process === parting { bury() }
        }
    }

    fileprivate func hear(_ news: HolderNews) {
        switch news {
        case .listening: serves = true
        case .unserved(.notSigned):
            serves = false
            if !stage.runs.contains(where: { $0.signed == nil }) {
                world.fail("\(name): it does not serve a log that is signed")
            }
        case .unserved(.cannotServe(let why)):
            world.fail("\(name): it does not serve the event: \(why)")
        case .readers(.connectionRefused(let peer, let why), _):
            stage.judge(why, of: peer, at: name)
        case .readers(.guestLeft(let guest, let why, _), _):
            stage.judge(why, of: guest.peer, at: name)
        default: break
        }
    }
}
