import BeamscribeCore

/// Judges whether a node's lines are soon at each node that has a link with it, while both are
/// free.
///
/// Invariant: the awaited line was said before the wait began.
final class MeshLatenessWatch {
    /// The longest time for a line. A node that has the log by a third one may first have to learn
    /// that the third is gone, or has less, by the next sign of life.
    private static let patience = Int.seconds(4)
    private static let interval = Int.milliseconds(200)

    private struct Pair: Hashable {
        let speaker: Int
        let reader: Int
    }

    private struct Wait {
        let log: WrittenLog
        let seq: Int
        let since: Int
        /// The links of both, in which nothing may change.
        let links: [ObjectIdentifier]
    }

    private let stage: MeshStage
    private var waits: [Pair: Wait] = [:]
    private var world: World { stage.world }

    init(_ stage: MeshStage) { self.stage = stage }

    /// Looks now and again, until the world ends.
    func lookLater() {
        world.schedule(after: Self.interval) { [self] in
            for speaker in stage.nodes {
                for reader in stage.nodes where reader !== speaker {
                    look(at: reader, reading: speaker)
                }
            }
            lookLater()
        }
    }

    private func look(at reader: SimulatedNode, reading speaker: SimulatedNode) {
        let pair = Pair(speaker: speaker.number, reader: reader.number)
        guard let log = speaker.logs.last, reader.view.last(of: log) < log.lastSeq,
            isFree(speaker), isFree(reader), isLinked(reader, to: speaker)
        else { return waits[pair] = nil }
        let links = (stage.wires.connections(of: reader) + stage.wires.connections(of: speaker))
            .map { ObjectIdentifier($0) }
        if let wait = waits[pair], wait.log === log, wait.links == links,
            reader.view.last(of: log) < wait.seq
        {
            guard world.now - wait.since > Self.patience else { return }
            world.fail(
                "\(reader.name): it lacks line \(wait.seq) of \(speaker.name), and nothing holds that up"
            )
        }
        waits[pair] = Wait(log: log, seq: log.lastSeq, since: world.now, links: links)
    }

    private func isLinked(_ reader: SimulatedNode, to speaker: SimulatedNode) -> Bool {
        reader.event == speaker.event
            && reader.peers.contains { $0.name == speaker.name && $0.state == .stable }
            && stage.wires.connections(between: reader, speaker).count == 1
    }

    /// Whether it takes part, and nothing is in the way of what it says and hears.
    private func isFree(_ node: SimulatedNode) -> Bool {
        node.isIn && !node.machine.isAsleep
            && stage.wires.connections(of: node).allSatisfy {
                $0.isWhole && $0.up.isWide && $0.down.isWide
            }
    }
}
