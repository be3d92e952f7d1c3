import BeamscribeVoice

/// Makes trouble for people on voice channels.
struct VoiceTroubleMaker {
    let stage: VoiceStage
    private var world: World { stage.world }

    func make(_ trouble: VoiceTrouble) {
        guard let talker = world.pick(stage.talkers.filter { !$0.part.isHost }) else { return }
        world.note(talker.name, "has trouble", VoiceTrouble.allCases.firstIndex(of: trouble) ?? 0)
        befall(talker, trouble)
    }

    private func befall(_ talker: SimulatedTalker, _ trouble: VoiceTrouble) {
        let time = Int.milliseconds(world.random(100...4_000))
        switch trouble {
        case .loss: worsen(talker, for: time) { $0.loss = world.random(1...40) }
        case .jitter: worsen(talker, for: time) { $0.jitter = .milliseconds(world.random(5...120)) }
        case .doubles: worsen(talker, for: time) { $0.doubles = world.random(1...50) }
        case .absence: beAbsent(talker)
        case .blocked:
            let long = world.chance(percent: 50) ? Int.seconds(world.random(5...15)) : time
            worsen(talker, for: long) { $0.blockedUntil = world.now + long }
        case .moved: talker.move()
        case .stolen: worsen(talker, for: time) { $0.stolenUntil = world.now + time }
        case .cut: talker.connection?.cut(noticedWithin: time)
        case .stalled:
            talker.connection?.stall(for: time)
            worsen(talker, for: time) { _ in }
        case .sleep: sleep(talker)
        case .deviceDrops: talker.dropsUntil = world.now + time / 4
        case .putOut: stage.putOut(talker)
        case .letIn: stage.talkers.forEach(stage.letIn)
        case .changeChannel: talker.go(to: world.pick(["crew", "es", "floor"]) ?? "crew")
        case .mute: talker.setTalking(false)
        case .replay: replay()
        case .garbage:
            let bytes = (0..<world.random(0...200)).map { _ in
                UInt8(clamping: world.random(0...255))
            }
            stage.receive(bytes, from: strangeAddress)
        case .hostRestarts: if world.chance(percent: 30) { stage.restart() }
        }
    }

    /// Somebody's radio is away for a moment, and then gives all at once.
    func beAbsent(_ talker: SimulatedTalker) {
        let time = Int.milliseconds(world.random(40...600))
        talker.path.absentUntil = max(talker.path.absentUntil, world.now + time)
        talker.path.troubledUntil = max(talker.path.troubledUntil, world.now + time)
    }

    private var strangeAddress: Int { VoiceStage.strangers + world.random(0...9) }

    /// The way of somebody's datagrams is worse for a while.
    private func worsen(
        _ talker: SimulatedTalker, for time: Int, _ change: (inout VoicePathFaults) -> Void
    ) {
        change(&talker.path)
        let end = max(talker.path.troubledUntil, world.now + time, talker.path.absentUntil)
        talker.path.troubledUntil = end
        world.schedule(after: time) {
            (talker.path.loss, talker.path.jitter, talker.path.doubles) = (0, 0, 0)
        }
    }

    private func sleep(_ talker: SimulatedTalker) {
        let time = Int.milliseconds(world.random(50...9_000))
        talker.sleepsUntil = world.now + time
        talker.path.troubledUntil = max(talker.path.troubledUntil, talker.sleepsUntil)
        // The host takes it for gone.
        if time > .seconds(6) { talker.connection?.cut(noticedWithin: .seconds(1)) }
    }

    /// A stranger sends what he has overheard, as it was or changed.
    private func replay() {
        for _ in 0..<world.random(1...10) {
            guard var datagram = world.pick(stage.network.overheard) else { return }
            if world.chance(percent: 50), !datagram.isEmpty {
                datagram[world.random(0...datagram.count - 1)] ^=
                    1 << UInt8(clamping: world.random(0...7))
            }
            stage.receive(datagram, from: strangeAddress)
        }
    }
}
