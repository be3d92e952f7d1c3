import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

@testable import Beamscribe

/// Another machine that has a copy of the host's folder, from before a word was said: it has the same key, and
/// writes the same log in the same run, with other words.
///
/// Whoever is led to it and to the host has two signatures for one number.
final class TwinHost {
    /// What it has said.
    let truth: RunTruth
    let process: SimulatedProcess
    static let name = "copy"
    private let stage: Stage
    private let host: Host
    private var count = 0
    private var world: World { stage.world }

    /// Begins at once.
    init(of stage: Stage) {
        self.stage = stage
        let session = stage.sessionID
        truth = RunTruth(session: session.wireName, number: 1, texts: [], hasLost: false)
        process = SimulatedProcess(
            Self.name, on: Machine(stage.world), stage.wires, at: EventWires.address(ofHolder: 200))
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: Self.name, session: session,
            security: HostSecurity(
                Identities.hostKey, code: stage.scenario.hasCode ? Identities.code : nil))
        configuration.input = .typed
        configuration.storage = .none
        configuration.port = .number(Stage.port)
        configuration.bluetooth = .nothing
        configuration.timing = stage.scenario.timing
        host = try! Host(configuration, in: process)
        process.afterTurn = { [host] in _ = host.news.takeWaiting() }
        host.assumeIsolated { try! $0.start() }
        speakLater()
    }

    private func speakLater() {
        world.schedule(after: world.random(1_000...2 * stage.scenario.speechPause)) { [weak self] in
            guard let self, !stage.isHealed else { return }
            count += 1
            let text = "of the copy \(count)"
            truth.add(text)
            process.run { host.assumeIsolated { _ = $0.type(text) } }
            speakLater()
        }
    }

    func end() {
        process.die()
        world.schedule(after: 0) { [host] in
            // The second time it waits for nobody.
            for _ in 1...2 { host.assumeIsolated { $0.stop() } }
        }
    }
}
