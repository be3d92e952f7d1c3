import BeamscribeCore

/// Makes one trouble for somebody.
struct TroubleMaker {
    private let world: World
    private let stage: Stage
    private let network: EventWires

    init(_ world: World, _ stage: Stage, _ network: EventWires) {
        self.world = world
        self.stage = stage
        self.network = network
    }

    func make(_ trouble: Trouble, _ guest: SimulatedGuest?) {
        world.note("trouble", "comes", Trouble.allCases.firstIndex(of: trouble) ?? 0)
        if let guest, befall(guest, trouble) { return }
        let isPhones = [.phoneCut, .phoneReloads, .phoneStalls].contains(trouble)
        if isPhones { return world.pick(stage.phones)?.befall(trouble, for: time) ?? () }
        befallHost(trouble)
    }

    /// A time, mostly short, sometimes minutes.
    private var time: Int {
        world.chance(percent: 80)
            ? world.random(10_000...12_000_000) : world.random(10_000_000...70_000_000)
    }

    private func befall(_ guest: SimulatedGuest, _ trouble: Trouble) -> Bool {
        switch trouble {
        case .cut: guest.connection?.cut()
        case .die: guest.connection?.die()
        case .stallUp: guest.connection?.stall(up: true, down: false, for: time)
        case .stallDown: guest.connection?.stall(up: false, down: true, for: time)
        case .outage: network.breakWay(of: guest, for: time)
        case .guestSleeps: guest.machine.suspend(for: time)
        case .guestPauses:
            guest.pause(true)
            guest.machine.schedule(after: time) { guest.pause(false) }
        case .guestRestarts: guest.restart()
        case .guestLeaves: if world.chance(percent: 30) { guest.leave() }
        case .freshNews: guest.hearNews()
        case .guestClock: guest.setClock()
        case .impostor, .tamper: attack(guest, trouble)
        default: return false
        }
        return true
    }

    /// Something happens to the disk of somebody who keeps the event.
    private func troubleKeeper(_ keeper: SimulatedGuest, _ volume: SimulatedVolume) {
        guard let kind = world.pick(KeeperTrouble.allCases) else { return }
        world.note("keepers", "have trouble", KeeperTrouble.allCases.firstIndex(of: kind) ?? 0)
        let duration = time
        switch kind {
        case .crash: keeper.restart()
        case .crashInWrite: volume.killAtNextWrite()
        case .powerLoss: keeper.restart { volume.losePower() }
        case .full:
            volume.fill(true)
            world.schedule(after: duration) { volume.fill(false) }
        case .failing:
            volume.fail(true)
            world.schedule(after: duration) { volume.fail(false) }
        case .rot: keeper.restart { volume.rot() }
        }
    }

    /// Something happens that makes a difference where others serve the event, too.
    func troubleHolders(_ guests: [SimulatedGuest]) {
        if stage.scenario.holdersKeep, world.chance(percent: 40),
            let keeper = world.pick(guests.filter(\.isHolder)), let volume = keeper.volume
        {
            return troubleKeeper(keeper, volume)
        }
        let kind = HolderTrouble.allCases[world.random(0...HolderTrouble.allCases.count - 1)]
        world.note("holders", "have trouble", HolderTrouble.allCases.firstIndex(of: kind) ?? 0)
        let holder = world.pick(guests.filter(\.isHolder))
        switch kind {
        case .hostIsDark:
            stage.goDark(for: world.random(5_000_000...60_000_000))
            startLater()
        case .someAreSevered:
            let duration = time
            for guest in guests where world.chance(percent: 50) {
                network.sever(guest, for: duration)
            }
        case .hostForgets: forget(before: guests)
        case .holderRestarts: holder?.restart()
        case .holderLeaves: if world.chance(percent: 30) { holder?.leave() }
        case .holderIsCut: holder.map(network.cutAll)
        case .liarComesAnew:
            guard let liar = world.pick(stage.liars) else { return }
            liar.end()
            world.schedule(after: time) { [stage] in if !stage.isHealed { liar.begin() } }
        }
    }

    /// The host says something that its disk does not take, and loses it with its power. Some have not heard it,
    /// and come to others before they come to the host, or to who has heard it and says it again.
    private func forget(before guests: [SimulatedGuest]) {
        for guest in guests where world.chance(percent: 60) {
            if stage.liars.isEmpty || world.chance(percent: 40) {
                network.sever(guest, for: time)
            } else {
                network.mislead(guest, for: world.random(10_000_000...40_000_000))
            }
        }
        stage.disk.failsToSynchronize = true
        world.schedule(after: world.random(100_000...3_000_000)) { [stage, world] in
            guard !stage.isHealed else { return }
            for _ in 0..<world.random(1...3) { stage.typeLine() }
            world.schedule(after: world.random(100_000...3_000_000)) {
                guard !stage.isHealed else { return }
                stage.losePower()
                stage.disk.failsToSynchronize = false
                startLater()
            }
        }
    }

    /// Somebody is led to who writes the host's log, too, and later to the host again.
    func troubleWithTwin(_ guest: SimulatedGuest) {
        network.leadToTwin(guest, times: world.random(1...3))
        if world.chance(percent: 70) { guest.connection?.cut() }
    }

    /// Somebody on the network means harm, which nobody withstands without TLS.
    private func attack(_ guest: SimulatedGuest, _ trouble: Trouble) {
        guard stage.scenario.isSecure else { return }
        if trouble == .tamper { return guest.connection?.tamper() ?? () }
        // Mostly as often as a guest bears, sometimes for good.
        network.impersonateHost(
            to: guest, times: world.chance(percent: 85) ? world.random(1...2) : 1_000)
        if world.chance(percent: 50) { guest.connection?.cut() }
    }

    private func befallHost(_ trouble: Trouble) {
        switch trouble {
        case .slowdown: network.slowUntil = world.now + time
        case .lateAccept: network.acceptsLateUntil = world.now + time
        case .refuse: network.refusesUntil = world.now + time
        case .noDescriptors: network.noDescriptorsUntil = world.now + time
        case .falseReadiness: network.falseReadinessUntil = world.now + time
        case .crowd:
            network.sendCrowd(of: world.random(1...(world.chance(percent: 5) ? 2_000 : 40)))
        case .deafness: network.ether.isDeafUntil = world.now + time
        case .echoes: network.ether.echoesUntil = world.now + time
        case .lies: network.ether.lie(times: world.random(1...30))
        case .hostSleeps: stage.machine.suspend(for: time)
        case .crashInSend: stage.run?.sendsUntilKilled = world.random(0...20)
        case .crashInWrite: stage.disk.killsAtNextWrite = true
        case .crash: stage.kill()
        case .powerLoss: stage.losePower()
        case .hostMoves: stage.move()
        case .stop: stage.run?.stop(endingEvent: false)
        case .clock: stage.machine.setClock()
        case .operate: operate()
        case .inputEnds: if !stage.scenario.endsWithInput { stage.run?.endInput() }
        default: befallDisk(trouble)
        }
        startLater()
    }

    private func operate() {
        switch world.random(0...8) {
        case 0: stage.run?.pause()
        case 1: stage.goOffRecord()
        case 2: stage.run?.mark()
        case 3...5: stage.type()
        default: stage.run?.resume()
        }
    }

    private func befallDisk(_ trouble: Trouble) {
        let disk = stage.disk
        switch trouble {
        case .diskFull:
            disk.isFull = true
            world.schedule(after: time) { disk.isFull = false }
        case .diskFails:
            disk.failsToSynchronize = true
            world.schedule(after: time) { disk.failsToSynchronize = false }
        case .shortWrites: disk.writesShort = true
        case .rot: stage.rot()
        default: break
        }
    }

    /// Somebody starts the host again, sometimes at once.
    private func startLater() {
        let pause = world.chance(percent: 30) ? 0 : world.random(10_000...15_000_000)
        stage.machine.schedule(after: pause) { [stage] in stage.start() }
    }
}
