import BeamscribeCore

/// The sessions on the disk of a machine that keeps events of others: the event's log, and those
/// that are written beside it, each with the notes beside it.
///
/// Invariant: all of them fail, are full and lose their power together.
final class SimulatedVolume: SimulatedSessions {
    private let world: World
    /// By the paths of their folders.
    private var logs: [String: SimulatedDisk] = [:]
    private var chains: [String: SimulatedDisk] = [:]
    /// Whether all that was stored is there.
    private(set) var isTrusted = true
    /// The next write kills the process.
    var killsAtNextWrite = false
    var whenKilled: () -> Void = {}
    private var all: [SimulatedDisk] {
        (logs.sorted { $0.key < $1.key } + chains.sorted { $0.key < $1.key }).map(\.value)
    }

    init(_ world: World) { self.world = world }

    func log(at path: String) -> SimulatedDisk { disk(at: path, in: &logs) }

    func chain(at path: String) -> SimulatedDisk? { disk(at: path, in: &chains) }

    private func disk(at path: String, in disks: inout [String: SimulatedDisk]) -> SimulatedDisk {
        if let known = disks[path] { return known }
        let new = SimulatedDisk(world)
        new.whenKilled = { [unowned self] in whenKilled() }
        disks[path] = new
        return new
    }

    func names(at path: String) -> [String] {
        let folders = logs.keys.filter { $0.hasPrefix(path + "/") }
            .map { String($0.dropFirst(path.utf8.count + 1).prefix { $0 != "/" }) }
        return Set(folders).union(logs[path]?.small.keys.map { $0 } ?? []).sorted()
    }

    // MARK: What befalls it

    func beginSynchronization() {
        for disk in all {
            disk.abandonSynchronization()
            disk.beginSynchronization()
        }
    }

    /// The program is gone, and what it had begun is left to the system.
    func leave() {
        all.forEach { $0.abandonSynchronization() }
        if all.contains(where: \.losesPages) { isTrusted = false }
    }

    func fill(_ isFull: Bool) {
        isTrusted = false
        all.forEach { $0.isFull = isFull }
    }

    func fail(_ fails: Bool) {
        isTrusted = false
        all.forEach { $0.failsToSynchronize = fails }
    }

    func killAtNextWrite() {
        world.pick(logs.sorted { $0.key < $1.key }.map(\.value))?.killsAtNextWrite = true
    }

    func losePower() {
        isTrusted = false
        for disk in all where disk.losePower() { disk.erase() }
    }

    /// A byte goes bad in one of the logs, or in the notes beside it.
    func rot() {
        isTrusted = false
        _ = world.pick(all)?.rot()
    }

    func heal() { all.forEach { $0.heal() } }
}
