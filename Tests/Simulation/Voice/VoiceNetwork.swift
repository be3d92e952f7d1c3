import BeamscribeCore
import BeamscribeVoice

/// The faults of the way between a talker and the host.
struct VoicePathFaults {
    /// Percent of the datagrams.
    var loss = 0
    var doubles = 0
    /// Microseconds.
    var jitter = 0
    /// Until when the radio is away, which then gives all at once.
    var absentUntil = 0
    /// Until when no datagram passes.
    var blockedUntil = 0
    /// Until when a stranger stops its datagrams, and sends them on as his own.
    var stolenUntil = 0
    /// Until when anything was wrong that may make sound late.
    var troubledUntil = 0
}

/// Carries datagrams and messages between the talkers and their host.
final class VoiceNetwork {
    private unowned let stage: VoiceStage
    private var world: World { stage.world }
    /// The newest datagrams of talkers, also the lost ones, for strangers who send them again.
    private(set) var overheard: [[UInt8]] = []
    private static let remembered = 20

    init(_ stage: VoiceStage) { self.stage = stage }

    func send(_ datagram: [UInt8], from talker: SimulatedTalker) {
        overheard.append(datagram)
        if overheard.count > 2 * Self.remembered { overheard.removeFirst(Self.remembered) }
        let isStolen = world.now < talker.path.stolenUntil
        let address = isStolen ? VoiceStage.strangers : talker.address
        pass(talker) { [stage] in stage.receive(datagram, from: address) }
    }

    func send(_ datagram: [UInt8], to talker: SimulatedTalker) {
        let address = talker.address
        pass(talker) { if talker.address == address, !talker.isAsleep { talker.receive(datagram) } }
    }

    private func pass(_ talker: SimulatedTalker, _ arrive: @escaping () -> Void) {
        let path = talker.path
        guard world.now >= path.blockedUntil, !world.chance(percent: path.loss) else { return }
        let copies = world.chance(percent: path.doubles) ? 2 : 1
        for _ in 0..<copies {
            let late = world.random(300...1_500) + world.random(0...path.jitter)
            world.schedule(after: max(late, path.absentUntil - world.now), arrive)
        }
    }
}

/// A talker's connection to the host, by which messages go in order.
final class VoiceConnection {
    enum Direction: Int { case up, down }

    let id: Int
    let talker: SimulatedTalker
    private unowned let stage: VoiceStage
    private var world: World { stage.world }
    private(set) var isOpen = true
    /// The number of times that the talker has asked for a place: it says which keys count.
    var joins: UInt32 = 0
    private var stalledUntil = 0
    /// The messages on their way, by direction, and the time at which the newest of them arrives.
    private var waiting: [[() -> Void]] = [[], []]
    private var arrivals = [0, 0]

    init(_ stage: VoiceStage, id: Int, of talker: SimulatedTalker) {
        (self.stage, self.id, self.talker) = (stage, id, talker)
    }

    func secret(_ key: UInt32) -> UInt64 { UInt64(clamping: id) << 32 | UInt64(key) }

    func send(_ direction: Direction, _ message: VoiceMessage) {
        deliver(direction) { [self] in
            direction == .up ? stage.hear(message, by: self) : talker.take(message)
        }
    }

    func deliver(_ direction: Direction, _ arrive: @escaping () -> Void) {
        waiting[direction.rawValue].append(arrive)
        passLater(direction)
    }

    /// One message arrives, the oldest.
    private func passLater(_ direction: Direction) {
        let awake = direction == .down ? talker.sleepsUntil : 0
        let time = max(
            world.now + world.random(500...3_000), stalledUntil, awake,
            arrivals[direction.rawValue])
        arrivals[direction.rawValue] = time
        world.schedule(after: time - world.now) { [self] in
            guard isOpen else { return waiting[direction.rawValue].removeAll() }
            // It may have fallen asleep meanwhile.
            if direction == .down, talker.isAsleep { return passLater(direction) }
            waiting[direction.rawValue].removeFirst()()
        }
    }

    func stall(for time: Int) { stalledUntil = max(stalledUntil, world.now + time) }

    /// It is gone, with all that is on its way; each end notices that in its own time.
    func cut(noticedWithin time: Int) {
        guard isOpen else { return }
        isOpen = false
        world.note(talker.name, "loses its connection")
        world.schedule(after: world.random(0...time)) { [self] in stage.hasGone(self) }
        let late = max(world.random(0...time), talker.sleepsUntil - world.now)
        world.schedule(after: late) { [self] in
            if talker.connection === self { talker.lostConnection() }
        }
    }
}
