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

    /// The session's other files.
    private(set) var small: [String: SmallFile] = [:]
    var hasLog = false
    /// Whether the disk has the names of all files.
    private var isNamed = false

    struct SmallFile {
        var cache: [UInt8]
        /// Whether the disk has these bytes, under whatever name.
        var isWhole: Bool
        /// What a loss of power leaves for certain.
        var disk: [UInt8]
    }

    /// Reads what the program has written since it found its log as it is up to `opened`.
    private var reader = JournalReader()
    private var readerIsStale = false
    private var opened = (size: 0, lastSeq: 0)

    init(_ world: World) {
        self.world = world
    }

    // MARK: What the program does

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Trouble) -> Int {
        if isFull, world.chance(percent: 50) { throw .full }
        var count = bytes.count
        if isFull || killsAtNextWrite || writesShort { count = world.random(1...count) }
        put(bytes.prefix(count), at: Int(clamping: offset))
        world.note("disk", "wrote to", Int(clamping: offset) + count)
        if killsAtNextWrite {
            killsAtNextWrite = false
            whenKilled()
            throw .killed
        }
        if isFull { throw .full }
        return count
    }

    private func put(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int) {
        if offset != cache.count || offset != opened.size + Int(clamping: reader.size) {
            readerIsStale = true
        }
        if offset > cache.count {
            cache += [UInt8](repeating: 0, count: offset - cache.count)
        }
        let end = min(cache.count, offset + bytes.count)
        cache.replaceSubrange(offset..<end, with: bytes)
        dirty.append(offset..<offset + bytes.count)
        if !readerIsStale { reader.read(UnsafeRawBufferPointer(rebasing: bytes)) { _, _, _ in } }
    }

    /// Replaces a small file; false where it could not.
    func replace(_ name: String, with bytes: [UInt8], durably: Bool) -> Bool {
        if isFull, world.chance(percent: 50) { return false }
        if durably, failsToSynchronize { return false }
        small[name] = SmallFile(
            cache: bytes, isWhole: durably, disk: small[name]?.disk ?? [])
        return true
    }

    /// Whether the disk has taken a small file.
    func synchronize(_ name: String) -> Bool {
        guard !failsToSynchronize else { return false }
        small[name]?.isWhole = true
        return true
    }

    /// Whether the disk has taken the names of all files.
    func synchronizeNames() -> Bool {
        guard !failsToSynchronize else { return false }
        isNamed = true
        for (name, file) in small where file.isWhole { small[name]?.disk = file.cache }
        return true
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
        return UInt64(clamping: cache.count - opened.size) - reader.intact
    }

    /// What lies behind a rewritten place is of no use to anybody.
    func cutOff(after size: Int) {
        guard size < cache.count else { return }
        cache.removeLast(cache.count - size)
        disk.removeLast(max(0, disk.count - size))
        dirty = dirty.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }
        readerIsStale = true
    }

    // MARK: What befalls it

    /// What was written since the last synchronisation is there, cut at any byte, zeros or worse.
    ///
    /// - Returns: whether nothing had ever been synchronised.
    func losePower() -> Bool {
        abandonSynchronization()
        losesPages = false
        let hadNothing = !isNamed
        // What was renamed and not written to the disk may be there without its bytes.
        for (name, file) in small {
            let isLost = file.disk.isEmpty ? !file.isWhole : world.chance(percent: 50)
            let left = isLost ? file.disk : file.cache
            small[name] = SmallFile(cache: left, isWhole: true, disk: left)
        }
        var left = disk
        if world.chance(percent: 30) { left = survivors(of: left) }
        switch world.random(0...4) {
        case 0: left += [UInt8](repeating: 0, count: world.random(1...600))
        case 1:
            left += (0..<world.random(1...60)).map { _ in UInt8(clamping: world.random(0...255)) }
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

    /// A byte of a line is not what it was. One that no JSON has, so that it is noticed.
    ///
    /// - Returns: whether there is a line.
    func rot() -> Bool {
        guard !disk.isEmpty else { return false }
        let place = world.random(0...disk.count - 1)
        disk[place] = 0xFF
        if cache.indices.contains(place) { cache[place] = 0xFF }
        readerIsStale = true
        return true
    }

    func heal() {
        (isFull, writesShort, failsToSynchronize, killsAtNextWrite) = (false, false, false, false)
    }

    // MARK: What is there

    /// What a host finds that goes on with the file: the text of each line, nil for those missing.
    var texts: [String?] {
        let packets = PacketDecoder()
        let record = small["meta.json"].flatMap { SessionRecord(json: $0.cache) }
        var recovery = JournalRecovery(
            into: Transcript(limit: 1 << 30),
            within: record?.boundaries(inLogOf: UInt64(clamping: cache.count)) ?? RunBoundaries())
        var texts: [String?] = []
        var next: UInt64? = 0
        while let offset = next {
            let piece = Array(cache.dropFirst(Int(clamping: offset)).prefix(4_096))
            next = piece.withUnsafeBytes { bytes in
                recovery.read(bytes, at: offset) { payload, seq in
                    guard case .liveChunk(let chunk)? = try? packets.packet(payload) else { return }
                    texts += [String?](repeating: nil, count: seq - texts.count - 1)
                    texts.append(chunk.text)
                }
            }
        }
        return texts
    }

    /// A host goes on behind the file's end, which has line `seq` before it.
    func open(after seq: Int) {
        opened = (cache.count, seq)
        readerIsStale = true
    }

    /// The newest line that the file holds whole, with all that was written since it was opened.
    var wholeLines: Int {
        if readerIsStale {
            reader = JournalReader(after: opened.lastSeq)
            cache.dropFirst(opened.size).withContiguousStorageIfAvailable {
                reader.read(UnsafeRawBufferPointer($0)) { _, _, _ in }
            }
            readerIsStale = false
        }
        return reader.lastSeq
    }

    func erase() {
        (cache, disk, dirty, underWay) = ([], [], [], [])
        opened = (0, 0)
        (small, hasLog, isNamed) = ([:], false, false)
        readerIsStale = true
    }
}
