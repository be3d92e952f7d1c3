import Beamscribe
import BeamscribeCore
import FoundationEssentials

/// A stream of server-sent events to a phone, from its first byte to where it breaks: what the page's
/// server does for one reader, without HTTP.
///
/// Invariant: what was sent comes in its order; `position` is behind the last of it.
final class PhoneStream {
    private let run: HostRun
    private let world: World
    private var position: FeedPlace
    private var isOver = false
    /// Bytes under way, and how many there may be.
    private var flying = 0
    private let room: Int
    private let latency: Int
    private var lastArrival = 0
    private var stalledUntil = 0
    private(set) var isOpen = true
    var hear: ([UInt8]) -> Void = { _ in }
    var broken: () -> Void = {}

    private let greeting: FeedGreeting

    /// - Parameters:
    ///   - seq: what the browser says that it has (`Last-Event-ID`).
    ///   - tail: how many finals it wants at most before the present; nil for all.
    init(to run: HostRun, after seq: Int, tail: Int?, _ world: World) {
        self.run = run
        self.world = world
        (greeting, position) = run.arrival(after: FeedMarks("\(seq)"), tail: tail)
        room = world.random(500...100_000)
        latency = world.random(200...50_000)
    }

    func begin() {
        // Encoding fails for numbers that are not finite only, and clocks' are.
        send(EventStreamEncoder.event("hello", json: try! JSONEncoder().encode(greeting)))
        run.add(self)
        readOn()
    }

    // MARK: The server's end

    /// What is new for all. One who is behind reads on from where it is.
    func take(_ batch: FeedBatch) {
        guard isOpen, flying < room, batch.start == position else { return readOn() }
        give(batch)
    }

    func beat(_ bytes: [UInt8]) { if isOpen, flying < room { send(bytes) } }

    private func readOn() {
        while isOpen, !isOver, flying < room {
            let batch = run.feed(from: position)
            give(batch)
            if batch.bytes.isEmpty { return }
        }
    }

    private func give(_ batch: FeedBatch) {
        position = batch.end
        isOver = batch.outcome == .over
        if !batch.bytes.isEmpty { send(batch.bytes) }
        if isOver { end() }
    }

    /// The host's end is closed: what is under way still comes, mostly.
    func end() {
        guard isOpen else { return }
        isOpen = false
        if world.chance(percent: 30) { hear = { _ in } }
        arrive { [self] in broken() }
    }

    private func send(_ bytes: [UInt8]) {
        flying += bytes.count
        // Anywhere, in the middle of a line, too.
        let cut = world.random(0...bytes.count)
        for piece in [bytes[..<cut], bytes[cut...]] where !piece.isEmpty {
            arrive { [self] in
                flying -= piece.count
                hear(Array(piece))
                readOn()
            }
        }
    }

    private func arrive(_ action: @escaping () -> Void) {
        let soonest = world.now + latency + world.random(0...latency)
        lastArrival = max(lastArrival, soonest, stalledUntil)
        world.schedule(after: lastArrival - world.now, action)
    }

    // MARK: What befalls it

    /// The connection is gone; neither end hears of what was under way.
    func cut() {
        isOpen = false
        hear = { _ in }
        world.schedule(after: latency) { [self] in broken() }
    }

    func stall(for duration: Int) { stalledUntil = world.now + duration }

    /// The phone wants no more of it.
    func leave() {
        isOpen = false
        (hear, broken) = ({ _ in }, {})
    }
}
