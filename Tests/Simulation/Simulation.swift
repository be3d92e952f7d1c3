import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// A whole run: an event with its host, its guests and all that befalls them, from one seed.
final class Simulation {
    private let world: World
    private let scenario: Scenario
    private let stage: Stage
    private var network: EventWires { stage.wires }
    private var guests: [SimulatedGuest] { stage.guests }
    private var judge: EventJudge { EventJudge(stage) }
    private let lateness: LatenessWatch
    private var isHealed = false

    /// The longest that all guests may take to have everything once all is well: a try that is
    /// under way, the longest pause, the time to notice that a connection is dead.
    private static let settlingTime = 90

    private init(seed: UInt64, isPlain: Bool, keepsTrace: Bool) {
        world = World(seed: seed, keepsTrace: keepsTrace)
        scenario = Scenario(world, seed: seed, isPlain: isPlain)
        stage = Stage(world, scenario)
        lateness = LatenessWatch(stage)
    }

    /// Lives through the event of a seed.
    ///
    /// - Parameter isPlain: whether to do without TLS.
    /// - Returns: what has become of the world.
    static func live(seed: UInt64, isPlain: Bool, keepsTrace: Bool) -> World {
        let simulation = Simulation(seed: seed, isPlain: isPlain, keepsTrace: keepsTrace)
        simulation.run()
        return simulation.world
    }

    private func run() {
        stage.start()
        speakLater()
        troubleLater()
        lateness.lookLater()
        for number in 1...scenario.guests {
            world.schedule(after: world.random(0...scenario.duration)) { [self] in come(number) }
        }
        for number in 1..<scenario.phones + 1 {
            world.schedule(after: world.random(0...scenario.duration)) { [self] in
                let phone = SimulatedPhone(stage, name: "phone \(number)")
                stage.enter(phone)
                phone.connect()
            }
        }
        lieLater()
        visitLater()
        if scenario.hasTwin { stage.beginTwin() }
        world.run(for: scenario.duration)
        outlive()
        heal()
        settle()
        rest()
        end()
        stage.end()
        world.end()
        network.end()
        // Other secrets may weigh as much, and are another event all the same.
        world.note("world", "took secrets", SeededSecrets.taken)
    }

    // MARK: The event

    private func come(_ number: Int) {
        guard !isHealed else { return }
        let farthest = world.chance(percent: 70) ? 20 : 150
        let starts: [GuestSession.Start] = [
            .beginning, .beginning, .next, .line(world.random(1...farthest)),
        ]
        let shared = scenario.sharesDevices ? guests.first : nil
        let guest = SimulatedGuest(
            stage, network, name: "guest \(number)",
            device: shared?.device ?? Stage.makeID(world), start: world.pick(starts) ?? .next,
            isPinned: world.chance(percent: 30), holderNumber: holderNumber(of: number),
            writerNumber: writerNumber(of: number))
        if let address = addressOfHolder() { guest.firstAddress = address }
        guest.sharesDevice = shared != nil
        shared?.sharesDevice = true
        stage.enter(guest)
        // It may be somebody else whom it meets first.
        if guest.code != nil, world.chance(percent: 15) {
            network.impersonateHost(to: guest, times: 1)
        }
        guest.begin()
    }

    /// The first guests serve what they read.
    private func holderNumber(of guest: Int) -> Int? {
        scenario.holding.flatMap { guest <= $0.guests ? guest : nil }
    }

    /// The last guests caption, too.
    private func writerNumber(of guest: Int) -> Int? {
        let number = scenario.guests - guest + 1
        return number <= scenario.writers ? number : nil
    }

    /// Some guests know of a holder alone.
    private func addressOfHolder() -> IPAddress? {
        guard let holding = scenario.holding, world.chance(percent: 20) else { return nil }
        return EventWires.address(ofHolder: world.random(1...holding.guests + holding.liars))
    }

    /// Somebody comes who serves the event as well, and lies.
    private func lieLater() {
        guard let holding = scenario.holding else { return }
        for number in 0..<holding.liars {
            world.schedule(after: world.random(0...scenario.duration)) { [self] in
                let liar = LyingHolder(stage, number: holding.guests + number + 1)
                stage.enter(liar)
                liar.begin()
            }
        }
    }

    /// Programs come that are no guests of ours.
    private func visitLater() {
        for _ in 0..<scenario.visitors {
            world.schedule(after: world.random(0...scenario.duration)) { [self] in
                let holder = addressOfHolder()
                let visitor = Visitor(stage, at: holder ?? network.hostAddress)
                visitor.map(stage.enter)
                visitor?.begin()
            }
        }
    }

    private func speakLater() {
        world.schedule(after: world.random(1_000...2 * scenario.speechPause)) { [self] in
            guard !isHealed else { return }
            stage.speak()
            speakLater()
        }
    }

    private func troubleLater() {
        world.schedule(after: world.random(1_000...2 * scenario.troublePause)) { [self] in
            guard !isHealed else { return }
            let maker = TroubleMaker(world, stage, network)
            if scenario.holding != nil, world.chance(percent: 40) {
                maker.troubleHolders(guests)
            } else if stage.twin != nil, let guest = world.pick(guests), world.chance(percent: 40) {
                maker.troubleWithTwin(guest)
            } else if let trouble = world.pick(scenario.troubles) {
                maker.make(trouble, world.pick(guests))
            }
            troubleLater()
        }
    }

    // MARK: The end

    /// The host is gone for good, and all else is well: who can be found has the event, and all others
    /// get from it what it has.
    private func outlive() {
        guard world.failure == nil, scenario.holding != nil, world.chance(percent: 50) else {
            return
        }
        world.note("world", "outlives its host")
        isHealed = true
        if world.chance(percent: 50) { stage.liars.forEach { $0.end() } }
        stage.goDark(for: .seconds(100_000))
        network.heal()
        stage.heal(.guests)
        world.run(for: .seconds(Self.settlingTime / 2))
        guests.forEach { $0.writer?.speak() }
        world.run(for: .seconds(Self.settlingTime / 2))
        if let fault = judge.faultWithoutHost { world.fail(fault) }
    }

    private func heal() {
        guard world.failure == nil else { return }
        world.note("world", "heals")
        isHealed = true
        network.heal()
        stage.heal(.all)
        // Those who lie may stay: the host is there, and all come to it.
        if world.chance(percent: 50) { stage.liars.forEach { $0.end() } }
        if stage.run?.isFinishing ?? false {
            // Guests that are slow to go have their time.
            world.run(for: .seconds(75))
        }
        stage.start()
        stage.run?.sendsUntilKilled = nil
        stage.run?.resume()
        if world.chance(percent: 20) { expectDiskIsTriedAgain() }
        stage.speak()
        // Who has more of the copy than there is here cannot know it until there is as much.
        for _ in 0..<(stage.twin?.truth.lastSeq ?? 0) { stage.typeLine() }
    }

    /// What a disk would not take is written once it does, although nobody speaks.
    private func expectDiskIsTriedAgain() {
        let run = stage.run
        world.run(for: .seconds(3))
        if let run, run === stage.run, run.log.isFailing(.disk) {
            world.fail("host: its disk is well, and it does not try it again")
        }
    }

    private func settle() {
        for _ in 0..<Self.settlingTime / 2 {
            // What has settled must stay so.
            let wasSettled = judge.fault == nil
            world.run(for: .seconds(wasSettled ? 1 : 2))
            if wasSettled, judge.fault == nil { break }
        }
        if let fault = judge.fault { world.fail(fault) }
    }

    /// Nothing happens for a while: nobody speaks, nothing breaks, and no connection is lost.
    private func rest() {
        guard world.failure == nil else { return }
        let atRest = guests.filter { judge.isAtHost($0) && $0.connection?.isWhole == true }
        let before = atRest.map(\.connection)
        expectWordsAtOnce(of: zip(atRest, before))
        world.run(for: .seconds(14))
        for (guest, connection) in zip(atRest, before)
        where guest.isRunning && guest.connection !== connection && !guest.sharesDevice {
            world.fail("\(guest.name): its connection was well, and is lost")
        }
        let asksOfVisitors =
            stage.run?.writersAsking.contains { $0.label == Visitor.label } ?? false
        // A holder passes on what it has heard, also for those who are gone.
        if stage.areVisitorsGone, asksOfVisitors, scenario.holding == nil {
            world.fail("host: it keeps a place for somebody who is gone")
        }
        guard !scenario.sharesDevices else { return }
        // Whoever came meanwhile may not have stayed long enough to be counted.
        let stayed = zip(atRest, before).count { $0.isRunning && $0.connection === $1 }
        let present = guests.count(where: judge.isAtHost) + stage.guestsOfLiars
        if stayed <= present, let fault = stage.run?.fault(ofCounting: stayed...present) {
            world.fail(fault)
        }
    }

    /// What is said while all is well is shown when it has come, and not with what comes next.
    private func expectWordsAtOnce(
        of guests: some Sequence<(SimulatedGuest, Connection?)>
    ) {
        guard let run = stage.run, !run.isFinishing else { return }
        stage.typeLine()
        for _ in 0..<50 {
            world.run(for: .milliseconds(20))
            guard run.hasSentAll else { continue }
            let late = guests.first { guest, connection in
                guest.isRunning && guest.connection === connection && !guest.sharesDevice
                    && connection?.down.isDrained == true && !guest.view.reaches(run.truth.lastSeq)
            }
            if let late { world.fail("\(late.0.name): it keeps a line back that has come") }
        }
    }

    /// Much is said, and a guest takes longer for it than the host waits for a stuck guest.
    private func readSlowly(_ guest: SimulatedGuest) {
        guard let connection = guest.connection, stage.leadsToHost(connection) else { return }
        world.note(guest.name, "reads slowly")
        // So that not even what TLS sends as a whole takes too long.
        let pace = 250
        connection.down.pace = .milliseconds(pace)
        let stuck = Int(saturating: scenario.timing.stuckTimeout.seconds * 1_000)
        let kilobytes = stuck / pace * 3 / 2
        stage.speakAtLength(kilobytes * 1_024 / Limits.lineBytes)
        guard world.chance(percent: 50) else { return }
        world.run(for: .milliseconds(2 * pace * kilobytes))
        if guest.isRunning, guest.connection !== connection {
            world.fail("\(guest.name): its connection was slow, and is lost")
        }
    }

    /// Somebody comes after the event's end; nil where nobody could be let in.
    private func comeLate() -> SimulatedGuest? {
        guard !scenario.hasCode, network.hostAddress == EventWires.firstAddress else { return nil }
        let guest = SimulatedGuest(
            stage, network, name: "late guest", device: Stage.makeID(world), start: .beginning,
            isPinned: false)
        stage.enter(guest)
        guest.begin()
        return guest
    }

    private func end() {
        guard world.failure == nil else { return }
        let present = guests.filter {
            $0.isRunning && $0.isIn && $0.connection?.isWhole == true
                && !judge.hearsLiar($0)
                // Who holds the event may have let go what its reader has yet to get.
                && (judge.isAtHost($0) || !scenario.isForgetful)
        }
        // The last words are still under way when the host says goodbye behind them.
        for guest in present { guest.connection?.down.capacity = 2_048 }
        if scenario.hasSlowReader, let slow = world.pick(present) { readSlowly(slow) }
        for _ in 0..<6 { stage.speak() }
        world.run(for: 1)
        stage.close(endingEvent: scenario.endsEvent)
        world.run(for: .seconds(10))
        let late = scenario.lingers ? comeLate() : nil
        world.run(for: .seconds(30))
        for _ in 0..<30 where stage.isRunning { world.run(for: .seconds(10)) }
        // Some read from the slow one.
        if scenario.hasSlowReader { world.run(for: .seconds(20)) }
        if stage.isRunning { world.fail("the host does not come to its end") }
        for guest in present where scenario.endsEvent && guest.isRunning {
            world.fail("\(guest.name): it was there at the event's end and goes on")
        }
        guard world.failure == nil, let truth = stage.truth else { return }
        // An event without a line ends at once.
        if let late, truth.lastSeq > 0, late.outcome != .ended || !late.view.reaches(truth.lastSeq)
        {
            world.fail("\(late.name): it came while the host stayed, and lacks the end")
        }
        for guest in present where !guest.sharesDevice && !guest.view.reaches(truth.lastSeq) {
            world.fail(
                "\(guest.name): it was there at the end, and lacks the last of \(truth.lastSeq) lines"
            )
        }
        if stage.disk.wholeLines != truth.lastSeq || stage.disk.damagedBytes > 0 {
            world.fail(
                "the file ends with line \(stage.disk.wholeLines) and "
                    + "\(stage.disk.damagedBytes) bytes of damage, the event with \(truth.lastSeq)")
        }
    }
}
