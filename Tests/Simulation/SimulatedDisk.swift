import BeamscribeCore

/// The file of a session's log, as the program sees it and as the disk has it.
///
/// Invariant: `disk` is what a loss of power leaves for certain; what was written since the last
/// synchronisation is in `cache` and its place in `dirty`.
final class SimulatedDisk {
    enum Trouble: Error {
        case full
        /// The process was killed in the middle of a write.
        case killed
    }

    let world: World
    private(set) var cache: [UInt8] = []
    private var disk: [UInt8] = []
    private var dirty: [Range<Int>] = []
    private var underWay: [(range: Range<Int>, bytes: [UInt8])] = []
    /// Whether there is something that the disk has not, and that nobody will give it any more
    /// unless it is written again.
    private(set) var losesPages = false
    var isFull = false
    var writesShort = false
    var failsToSynchronize = false
    /// The next write kills the process.
    var killsAtNextWrite = false
    var whenKilled: () -> Void = {}

    private var reader = JournalReader()
    private var readerIsStale = false

    init(_ world: World) {
        self.world = world
    }

    // MARK: What the program does

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Trouble) -> Int {
        if isFull, world.chance(percent: 50) { throw .full }
        var count = bytes.count
        if isFull || killsAtNextWrite || writesShort { count = world.random(1...count) }
        put(bytes.prefix(count), at: Int(offset))
        world.note("disk", "wrote to", Int(offset) + count)
        if killsAtNextWrite {
            killsAtNextWrite = false
            whenKilled()
            throw .killed
        }
        if isFull { throw .full }
        return count
    }

    private func put(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int) {
        if offset != cache.count || UInt64(offset) != reader.size { readerIsStale = true }
        if offset > cache.count {
            cache += [UInt8](repeating: 0, count: offset - cache.count)
        }
        let end = min(cache.count, offset + bytes.count)
        cache.replaceSubrange(offset..<end, with: bytes)
        dirty.append(offset..<offset + bytes.count)
        if !readerIsStale { reader.read(UnsafeRawBufferPointer(rebasing: bytes)) { _, _, _ in } }
    }

    /// The disk begins to take what was written.
    func beginSynchronization() {
        underWay = dirty.map { ($0, Array(cache[$0.clamped(to: 0..<cache.count)])) }
        dirty = []
    }

    /// Whether the disk has taken it. Where not, nobody will ever try again: the pages count as
    /// clean.
    func endSynchronization() -> Bool {
        defer { underWay = [] }
        guard !failsToSynchronize else {
            losesPages = losesPages || !underWay.isEmpty
            return false
        }
        losesPages = false
        for (range, bytes) in underWay {
            let end = range.lowerBound + bytes.count
            if disk.count < end { disk += [UInt8](repeating: 0, count: end - disk.count) }
            disk.replaceSubrange(range.lowerBound..<end, with: bytes)
        }
        return true
    }

    /// The program is gone, and what it had begun is left to the system.
    func abandonSynchronization() {
        dirty = underWay.map(\.range) + dirty
        underWay = []
    }

    /// At the start and the end of the program, which waits for the disk.
    @discardableResult
    func synchronizeAll() -> Bool {
        abandonSynchronization()
        beginSynchronization()
        return endSynchronization()
    }

    /// Bytes behind the last whole line.
    var damagedBytes: UInt64 {
        _ = wholeLines
        return UInt64(cache.count) - reader.intact
    }

    /// What lies behind a rewritten place is of no use to anybody.
    func cutOff(after size: Int) {
        guard size < cache.count else { return }
        cache.removeLast(cache.count - size)
        disk.removeLast(max(0, disk.count - size))
        dirty = dirty.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }
        readerIsStale = true
    }

    func truncate(to size: Int) {
        cache.removeLast(cache.count - size)
        disk.removeLast(max(0, disk.count - size))
        dirty = []
        disk = cache
        readerIsStale = true
    }

    // MARK: What befalls it

    /// What was written since the last synchronisation is there, cut at any byte, zeros or worse.
    ///
    /// - Returns: whether nothing had ever been synchronised.
    func losePower() -> Bool {
        abandonSynchronization()
        losesPages = false
        let hadNothing = disk.isEmpty
        var left = disk
        if world.chance(percent: 30) { left = survivors(of: left) }
        switch world.random(0...4) {
        case 0: left += [UInt8](repeating: 0, count: world.random(1...600))
        case 1: left += (0..<world.random(1...60)).map { _ in UInt8(world.random(0...255)) }
        default: break
        }
        cache = left
        disk = left
        dirty = []
        readerIsStale = true
        return hadNothing
    }

    /// The disk's bytes with the beginning of what was not yet synchronised.
    private func survivors(of disk: [UInt8]) -> [UInt8] {
        var left = disk
        for range in dirty where world.chance(percent: 60) {
            let whole = range.clamped(to: 0..<cache.count)
            guard !whole.isEmpty else { continue }
            let kept = whole.prefix(world.random(0...whole.count))
            if left.count < kept.endIndex {
                left += [UInt8](repeating: 0, count: kept.endIndex - left.count)
            }
            left.replaceSubrange(kept.startIndex..<kept.endIndex, with: cache[kept])
        }
        return left
    }

    func heal() {
        (isFull, writesShort, failsToSynchronize, killsAtNextWrite) = (false, false, false, false)
    }

    // MARK: What is there

    /// The newest line that the file holds whole, with all before it.
    var wholeLines: Int {
        if readerIsStale {
            reader = JournalReader()
            cache.withUnsafeBytes { reader.read($0) { _, _, _ in } }
            readerIsStale = false
        }
        return reader.lastSeq
    }

    func erase() {
        (cache, disk, dirty, underWay) = ([], [], [], [])
        readerIsStale = true
    }
}
