import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

@testable import Beamscribe

/// Who captions in the event beside its host: the real ``Host`` whose log goes there through a guest of it,
/// which runs in the same program. Each program writes a log of its own. It may stand by for the host.
final class SimulatedWriter {
    /// The logs that were written, the one that is on last.
    private(set) var logs: [WrittenLog] = []
    private let stage: Stage
    private let machine: Machine
    private let number: Int
    private var host: Host?
    private var process: SimulatedProcess?
    private var world: World { stage.world }

    /// - Parameter number: its own among those who caption beside the host, from 1 on.
    init(_ stage: Stage, on machine: Machine, number: Int) {
        (self.stage, self.machine, self.number) = (stage, machine, number)
        speakLater()
    }

    /// The program's guest has joined an event.
    func joined(_ event: JoinedEvent, by guest: Guest, in process: SimulatedProcess) {
        guard host == nil, event.isSigned else { return }
        let session = sessionOfTwin(in: event) ?? Stage.makeID(world)
        var configuration = HostConfiguration(
            eventName: event.eventName, deviceName: "balcony", session: session,
            security: HostSecurity(key))
        configuration.contribution = SessionRecord.Contribution(
            to: event.session, as: "Room \(number + 1)",
            standingInFor: stage.scenario.standsBy ? event.session : nil)
        configuration.beginsOffAir = stage.scenario.standsBy
        configuration.input = .typed
        configuration.storage = .none
        configuration.bluetooth = .nothing
        configuration.timing = stage.scenario.timing
        let made = try! Host(configuration, in: process)
        guard made.assumeIsolated({ $0.contribute(through: guest) }) else {
            return world.fail("\(process.name): it signs nothing")
        }
        made.assumeIsolated { try! $0.start() }
        (host, self.process) = (made, process)
        logs.append(WrittenLog(session: session.wireName, event: event.session))
        world.note(process.name, "captions, too", logs.count)
    }

    /// The log that is written on the folder of which this one's is a copy; nil where it is none.
    private func sessionOfTwin(in event: JoinedEvent) -> UUID? {
        guard stage.scenario.writersAreTwins else { return nil }
        let logs = stage.guests.compactMap { $0.writer === self ? nil : $0.writer?.logs.last }
        return logs.first { $0.event == event.session }.flatMap { UUID(uuidString: $0.session) }
    }

    private func speakLater() {
        let pause = world.random(1_000...2 * stage.scenario.speechPause)
        machine.schedule(after: pause) { [weak self] in
            guard let self, !stage.isHealed else { return }
            speak()
            if stage.scenario.standsBy, world.chance(percent: 8) { changeTurns() }
            if stage.scenario.putsWritersOut, world.chance(percent: 10) { changeAdmission() }
            speakLater()
        }
    }

    /// A line, or the beginning of one.
    func speak() {
        guard let host, let process, let log = logs.last else { return }
        guard isOnAir else {
            // Nobody may ever see it.
            return process.run { host.assumeIsolated { _ = $0.type("not its turn") } }
        }
        if world.chance(percent: 40) {
            let text = log.whisper()
            process.run { host.assumeIsolated { $0.type(partial: text) } }
        } else {
            let text = log.say(number)
            process.run { host.assumeIsolated { _ = $0.type(text) } }
        }
        world.note(process.name, "says line of its own", log.lastSeq)
        _ = host.assumeIsolated { $0.news.takeWaiting() }
    }

    /// Whether it writes what it says.
    var isOnAir: Bool { host?.assumeIsolated { $0.isOnAir } ?? false }

    /// The key with which it writes.
    private var key: HostKey {
        Identities.writerKeys[stage.scenario.writersAreTwins ? 0 : number - 1]
    }

    /// The host's operator puts this writer out, or lets them in again.
    private func changeAdmission() {
        guard let log = logs.last, log.wasRead else { return }
        stage.run?.change(key.fingerprint, isPutOut: world.chance(percent: 60))
        log.mayEnd()
    }

    /// Somebody takes the captions, or hands them over.
    private func changeTurns() {
        guard let host, let process, let log = logs.last else { return }
        world.note(process.name, "and others change turns")
        switch world.random(0...4) {
        case 0: stage.run?.takeAir()
        case 1: stage.run?.handAir(to: log.session)
        case 2: takeAir()
        case 3:
            // All at once: those who wait take the same number.
            stage.run?.takeAir()
            stage.guests.forEach { $0.writer?.takeAir() }
        default:
            let others = stage.guests.compactMap { $0.writer?.logs.last?.session }
            let next = world.pick([log.event] + others.filter { $0 != log.session }) ?? log.event
            process.run { host.assumeIsolated { _ = $0.handAir(to: next) } }
        }
    }

    private func takeAir() {
        guard let host, let process else { return }
        process.run { host.assumeIsolated { _ = $0.takeAir() } }
    }

    /// Whoever serves the event reads it.
    func isRead() { logs.last?.letIn() }

    /// The program is no more.
    func bury() {
        guard let buried = host else { return }
        (host, process) = (nil, nil)
        world.schedule(after: 0) {
            // The second time it waits for nobody.
            for _ in 1...2 { buried.assumeIsolated { $0.stop() } }
        }
    }
}
