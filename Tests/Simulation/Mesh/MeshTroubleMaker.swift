/// Makes one trouble for a mesh.
struct MeshTroubleMaker {
    let stage: MeshStage
    private var world: World { stage.world }
    private var wires: MeshWires { stage.wires }

    func make(_ trouble: MeshTrouble) {
        world.note("trouble", "comes", MeshTrouble.allCases.firstIndex(of: trouble) ?? 0)
        guard let node = world.pick(stage.nodes) else { return }
        if !befall(node, trouble), !befallConnection(of: node, trouble) { befallAll(trouble) }
    }

    /// A time, mostly short, sometimes minutes.
    private var time: Int {
        world.chance(percent: 80)
            ? world.random(10_000...12_000_000) : world.random(10_000_000...70_000_000)
    }

    private func befall(_ node: SimulatedNode, _ trouble: MeshTrouble) -> Bool {
        switch trouble {
        case .sleep: node.machine.suspend(for: time)
        case .clock: node.machine.setClock()
        case .freshNews: node.process.changeAddresses()
        case .crash: node.crash(for: time)
        case .restart: node.crash(for: 0)
        case .leave:
            node.leave()
            node.beginLater(after: time)
        case .isolation: part { $0 === node }
        case .oneWay:
            let others = stage.nodes.filter { $0 !== node && world.chance(percent: 50) }
            let isOutward = world.chance(percent: 50)
            let duration = time
            for other in others {
                isOutward
                    ? wires.forbid(node, dialling: other, for: duration)
                    : wires.forbid(other, dialling: node, for: duration)
            }
        default: return false
        }
        return true
    }

    private func befallConnection(of node: SimulatedNode, _ trouble: MeshTrouble) -> Bool {
        let connection = world.pick(wires.connections(of: node))
        switch trouble {
        case .cut: connection?.cut()
        case .die: connection?.die()
        case .tamper: connection?.tamper()
        case .stallUp: connection?.stall(up: true, down: false, for: time)
        case .stallDown: connection?.stall(up: false, down: true, for: time)
        default: return false
        }
        return true
    }

    private func befallAll(_ trouble: MeshTrouble) {
        switch trouble {
        case .outage: part { _ in true }
        case .partition:
            let side = Set(stage.nodes.filter { _ in world.chance(percent: 50) }.map(\.number))
            part { side.contains($0.number) }
        case .slowdown: wires.slowUntil = world.now + time
        case .lateAccept: wires.acceptsLateUntil = world.now + time
        case .refuse: wires.refusesUntil = world.now + time
        case .noDescriptors: wires.noDescriptorsUntil = world.now + time
        case .falseReadiness: wires.falseReadinessUntil = world.now + time
        case .deafness: wires.ether.isDeafUntil = world.now + time
        case .echoes: wires.ether.echoesUntil = world.now + time
        case .lies: wires.ether.lie(times: world.random(1...30))
        default: break
        }
    }

    /// Those on one side do not reach the others for a while; where all are on it, nobody reaches anybody.
    private func part(_ isThere: (SimulatedNode) -> Bool) {
        let (duration, isTold) = (time, world.chance(percent: 50))
        let isWhole = stage.nodes.allSatisfy(isThere)
        for node in stage.nodes where isThere(node) {
            for other in stage.nodes where other !== node && (isWhole || !isThere(other)) {
                wires.part(node, other, for: duration, isTold: isTold)
            }
        }
    }
}
