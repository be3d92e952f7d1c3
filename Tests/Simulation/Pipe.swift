/// One direction of a connection: bytes that are under way, and bytes that have come and wait to
/// be read. Both together are bounded, so that a sender finds it full, at any byte.
final class Pipe {
    enum Arrival {
        case bytes([UInt8])
        case end
    }

    let world: World
    /// Microseconds from one end to the other, and what comes on top at random.
    var latency: Int
    var jitter: Int
    /// Bytes in flight and unread.
    var capacity: Int
    /// Microseconds for a kilobyte.
    var pace: Int
    /// Nothing arrives before this time.
    var stalledUntil = 0
    /// Nothing arrives any more.
    var isDead = false
    /// How many bytes arrive yet before the connection is cut; nil where it is not.
    private var bytesUntilCut: Int?
    private var whenCut: () -> Void = {}

    private var flying: [Arrival] = []
    private var flyingBytes = 0
    private var lastArrival = 0
    private var isMoving = false
    private var senderWaits = false
    private var changesNext = false
    private(set) var arrived: [UInt8] = []
    private(set) var hasEnded = false
    /// The sending side was closed.
    private(set) var isFinished = false
    /// The number of bytes ever sent, and the time of the last.
    private(set) var sentBytes = 0
    private(set) var lastSent: Int?
    /// The number of bytes ever read.
    private(set) var readBytes = 0

    var whenReadable: () -> Void = {}
    var whenWritable: () -> Void = {}

    init(_ world: World, latency: Int, jitter: Int, capacity: Int, pace: Int) {
        self.world = world
        self.latency = latency
        self.jitter = jitter
        self.capacity = capacity
        self.pace = pace
    }

    // MARK: The sending end

    /// Takes what there is room for, and calls ``whenWritable`` later where that was not all.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !isFinished else { return 0 }
        let count = max(0, min(bytes.count, capacity - flyingBytes - arrived.count))
        senderWaits = count < bytes.count
        guard count > 0 else { return 0 }
        flying.append(.bytes(Array(bytes.prefix(count))))
        flyingBytes += count
        sentBytes += count
        lastSent = world.now
        if changesNext { tamper() }
        move(after: latency + world.random(0...jitter) + count * pace / 1_024)
        return count
    }

    /// Whether something would be taken now. Where not, ``whenWritable`` is called once it would.
    var hasRoom: Bool {
        let hasRoom = isFinished || capacity > flyingBytes + arrived.count
        if !hasRoom { senderWaits = true }
        return hasRoom
    }

    /// Nothing follows.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        flying.append(.end)
        move(after: latency)
    }

    // MARK: The way

    private func move(after delay: Int) {
        lastArrival = max(lastArrival, world.now + delay)
        arriveLater()
    }

    private func arriveLater() {
        guard !isMoving, !flying.isEmpty, !isDead else { return }
        isMoving = true
        let time = max(lastArrival, stalledUntil)
        world.schedule(after: min(time - world.now, .milliseconds(500))) { [self] in
            isMoving = false
            if isDead { return }
            if world.now < max(lastArrival, stalledUntil) { return arriveLater() }
            arrive()
        }
    }

    private func arrive() {
        for arrival in flying {
            switch arrival {
            case .bytes(let bytes):
                arrived += bytes.prefix(bytesUntilCut ?? bytes.count)
                bytesUntilCut = bytesUntilCut.map { max(0, $0 - bytes.count) }
                flyingBytes -= bytes.count
            case .end: hasEnded = bytesUntilCut != 0
            }
        }
        flying = []
        whenReadable()
        if bytesUntilCut == 0 { whenCut() }
    }

    /// The connection is cut behind so many bytes more.
    func cut(behind bytes: Int, _ cut: @escaping () -> Void) {
        (bytesUntilCut, whenCut) = (bytes, cut)
    }

    /// What is under way is lost, and nothing follows.
    func die() {
        isDead = true
        flying = []
    }

    /// Changes a byte of what was sent last and is under way, or of what is sent next.
    func tamper() {
        guard case .bytes(var bytes)? = flying.last else { return changesNext = true }
        changesNext = false
        bytes[world.random(0...bytes.count - 1)] ^= UInt8(1 << world.random(0...7))
        flying[flying.count - 1] = .bytes(bytes)
    }

    // MARK: The receiving end

    /// Whether all that was sent was read.
    var isDrained: Bool { flying.isEmpty && arrived.isEmpty }

    /// Whether whatever is sent now arrives after its latency.
    var isFree: Bool {
        isDrained && !isDead && !isFinished && stalledUntil <= world.now && pace == 0
            && bytesUntilCut == nil
    }

    /// Whether it takes a short line at once, and brings it after its latency.
    var isWide: Bool {
        !isDead && !isFinished && stalledUntil <= world.now && pace == 0 && bytesUntilCut == nil
            && capacity >= 2_048
    }

    /// Whether there is something to read, or the end.
    var isReadable: Bool { !arrived.isEmpty || hasEnded }

    /// Takes some of what has come; nil when there is nothing.
    func read(atMost limit: Int) -> [UInt8]? {
        guard !arrived.isEmpty else { return nil }
        let bytes = Array(arrived.prefix(limit))
        arrived.removeFirst(bytes.count)
        readBytes += bytes.count
        if senderWaits {
            senderWaits = false
            world.schedule(after: latency) { [self] in if !isDead { whenWritable() } }
        }
        return bytes
    }

    func heal() {
        changesNext = false
        bytesUntilCut = nil
        stalledUntil = 0
        pace = 0
        capacity = max(capacity, 65_536)
        arriveLater()
    }

    func disconnect() {
        whenReadable = {}
        whenWritable = {}
        whenCut = {}
    }
}
