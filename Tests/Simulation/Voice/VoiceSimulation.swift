import BeamscribeVoice

/// A whole run of an event's voices: its people and all that befalls them, from one seed.
final class VoiceSimulation {
    private let world: World
    private let scenario: VoiceScenario
    private let stage: VoiceStage
    private var judge: VoiceJudge { stage.judge }
    private var isHealed = false

    /// The longest until each end of a lost connection has noticed that, and the guest has made
    /// another, in seconds.
    private static let noticingTime = 8
    /// The longest that all may take to be as they must be after that, in seconds: datagrams are tried
    /// again each 10 s.
    private static let settlingTime = 12

    private init(seed: UInt64, keepsTrace: Bool) {
        world = World(seed: seed, keepsTrace: keepsTrace)
        scenario = VoiceScenario(world)
        stage = VoiceStage(world, scenario)
    }

    /// Lives through the event of a seed.
    ///
    /// - Returns: what has become of the world.
    static func live(seed: UInt64, keepsTrace: Bool) -> World {
        let simulation = VoiceSimulation(seed: seed, keepsTrace: keepsTrace)
        simulation.run()
        return simulation.world
    }

    private func run() {
        stage.start()
        talkLater()
        troubleLater()
        beAbsentLater()
        world.run(for: scenario.duration)
        heal()
        settle()
        changeChannels()
        talkInTurn()
        partLastly()
        stage.end()
        world.end()
    }

    private func talkLater() {
        world.schedule(after: world.random(1_000...2 * scenario.talkPause)) { [self] in
            guard !isHealed, let talker = world.pick(stage.talkers) else { return }
            talker.setTalking(true)
            world.schedule(after: .milliseconds(world.random(20...3_000))) { [self] in
                if !isHealed { talker.setTalking(false) }
            }
            talkLater()
        }
    }

    private func troubleLater() {
        world.schedule(after: world.random(1_000...2 * scenario.troublePause)) { [self] in
            guard !isHealed else { return }
            if let trouble = world.pick(scenario.troubles) {
                VoiceTroubleMaker(stage: stage).make(trouble)
            }
            troubleLater()
        }
    }

    private func beAbsentLater() {
        guard let pause = scenario.absencePause else { return }
        world.schedule(after: world.random(1_000...2 * pause)) { [self] in
            guard !isHealed else { return }
            let talker = world.pick(stage.talkers.filter { !$0.part.isHost })
            talker.map(VoiceTroubleMaker(stage: stage).beAbsent)
            beAbsentLater()
        }
    }

    // MARK: The end

    /// Nothing breaks any more. Some stay where no datagram passes.
    private func heal() {
        world.note("world", "heals")
        isHealed = true
        for talker in stage.talkers {
            talker.path = VoicePathFaults()
            if !talker.part.isHost, world.chance(percent: 15) {
                talker.path.blockedUntil = .seconds(1_000)
            }
            (talker.sleepsUntil, talker.dropsUntil) = (0, 0)
            talker.path.troubledUntil = world.now
            if world.chance(percent: 70) { stage.letIn(talker) }
        }
        for talker in stage.talkers { talker.setTalking(false) }
    }

    private func settle() {
        world.run(for: .seconds(Self.noticingTime))
        for _ in 0..<Self.settlingTime {
            // A settled event has to stay so.
            let wasSettled = judge.fault == nil
            world.run(for: .seconds(1))
            if wasSettled, judge.fault == nil { return }
        }
        if let fault = judge.fault { world.fail(fault) }
    }

    /// Some go to another channel that is for them, and are there within a second.
    private func changeChannels() {
        for talker in stage.talkers where talker.session.isHere && world.chance(percent: 40) {
            let channels = talker.session.channels(isCrew: talker.part.isCrew)
            guard world.failure == nil, let before = talker.session.channel,
                let channel = world.pick(channels.filter { $0 != before })
            else { continue }
            talker.go(to: channel)
            world.run(for: .seconds(1))
            if talker.session.channel != channel {
                world.fail("\(talker.name): it asks for \(channel), and stays on \(before)")
            }
        }
        settle()
    }

    /// One after another says two things, and all who may hear that hear it whole.
    private func talkInTurn() {
        for talker in stage.talkers where talker.session.isHere && talker.talksOn != nil {
            for _ in 0..<2 {
                guard world.failure == nil else { return }
                stage.talkers.forEach { $0.beginWatch() }
                talker.setTalking(true)
                world.run(for: .milliseconds(world.random(300...1_200)))
                if let fault = judge.fault { world.fail("within a talk, \(fault)") }
                talker.setTalking(false)
                world.run(for: .milliseconds(600))
                if let fault = judge.fault(ofTalkBy: talker) ?? judge.fault { world.fail(fault) }
            }
        }
    }

    /// All go, and the host keeps none of them.
    private func partLastly() {
        guard world.failure == nil else { return }
        stage.end()
        world.run(for: 1_000)
        if stage.room.count > 0 { world.fail("host: it keeps \(stage.room.count) who are gone") }
    }
}
