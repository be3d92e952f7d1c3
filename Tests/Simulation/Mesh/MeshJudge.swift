import BeamscribeCore

/// What must be so of a mesh once all is well.
struct MeshJudge {
    let stage: MeshStage

    /// What is not as it must be; nil where all is.
    var fault: String? {
        for node in stage.nodes where !node.isIn { return "\(node.name): it does not take part" }
        for node in stage.nodes where node.event != stage.nodes[0].event {
            return "\(node.name): it takes part in another event than \(stage.nodes[0].name)"
        }
        let logs = judged
        for log in logs {
            let due = newest(of: log)
            for node in stage.nodes where node.view.last(of: log) != due {
                return "\(node.name): it has line \(node.view.last(of: log)) of \(due) of a log"
            }
        }
        let sessions = Set(logs.map(\.session))
        let transcripts = stage.nodes.map { node in
            node.view.lines.filter { sessions.contains($0.session) }.sorted()
        }
        for (node, transcript) in zip(stage.nodes, transcripts) where transcript != transcripts[0] {
            return "\(node.name): its transcript is another than that of \(stage.nodes[0].name)"
        }
        return nil
    }

    /// The logs that all must have. Where two events have become one, who was gone by then has not come along.
    private var judged: [WrittenLog] {
        stage.haveEventsMet ? stage.nodes.compactMap(\.logs.last) : stage.logs
    }

    /// Of a log whose program is gone there is what any has.
    private func newest(of log: WrittenLog) -> Int {
        if stage.nodes.contains(where: { $0.logs.last === log }) { return log.lastSeq }
        return stage.nodes.map { $0.view.last(of: log) }.max() ?? 0
    }

    /// Whether nothing lies between nodes, and they are few: each has a link to each other then.
    private var isFull: Bool { !stage.scenario.wallsStay && stage.nodes.count <= 9 }

    /// What is wrong with how something came that was said to some alone, each of whom has a link to who said it.
    func fault(of secrets: [String]) -> String? {
        guard isFull else { return nil }
        for secret in secrets {
            let audience = stage.audience(of: secret) ?? []
            for node in stage.nodes where audience.contains(node.number) {
                // Who has said it is not shown it.
                if !secret.hasSuffix(" of \(node.number)"), !node.view.hasHeard(secret) {
                    return "\(node.name): it lacks what was said to it alone: \(secret)"
                }
            }
        }
        return nil
    }

    /// What is wrong with the links at rest: where nothing lies between them, and they are few, each has one to
    /// each other.
    var faultOfLinks: String? {
        let nodes = stage.nodes
        for (index, node) in nodes.enumerated() {
            for other in nodes.dropFirst(index + 1) {
                let links = stage.wires.connections(between: node, other).count
                if links > 1 || isFull && links == 0 {
                    return "there are \(links) links between \(node.name) and \(other.name)"
                }
            }
            guard isFull else { continue }
            let states = node.peers.filter { peer in nodes.contains { $0.name == peer.name } }
            if states.count(where: { $0.state == .stable }) != nodes.count - 1 {
                return "\(node.name): it shows \(states.map { "\($0.name) \($0.state)" })"
            }
        }
        return nil
    }
}
