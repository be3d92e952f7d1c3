import BeamscribeCore
import Testing

/// Rooms in which everything happens at random; a failure names its seed.
@Suite struct RoomPropertyTests {
    @Test(arguments: [false, true])
    func everyGuest_hasTheHostsLines_eachOnceInOrder(isSigned: Bool) {
        for seed in 0..<UInt64(clamping: isSigned ? 100 : 250) {
            var chaos = Chaos(seed: seed, isSigned: isSigned)
            chaos.run(steps: 120)
            chaos.settle()
            #expect(chaos.failures == [], "seed \(seed)")
            if !chaos.failures.isEmpty { return }
        }
    }
}

/// One room, its guests, and what befalls them.
struct Chaos {
    private let room: VirtualRoom
    private var generator: SeededGenerator
    private var said: [String] = []
    private var taken: [Int: Int] = [:]
    private(set) var failures: [String] = []

    init(seed: UInt64, isSigned: Bool) {
        generator = SeededGenerator(seed: seed)
        let (limit, chunkSize) = (1 << 20, 4_096 + 512)
        room =
            isSigned
            ? VirtualRoom(signing: ToyCrypto(), seed: seed, limit: limit, chunkSize: chunkSize)
            : VirtualRoom(
                seed: seed, transcript: Transcript(limit: limit, chunkSize: chunkSize))
        room.pieceSize = Int.random(in: 40...4_000, using: &generator)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
    }

    private mutating func step() {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: say()
        case 3:
            room.whisper(String(repeating: "w", count: Int.random(in: 0...50, using: &generator)))
        case 4 where room.guests.count < 6: _ = room.guest()
        case 5: room.guests.randomElement(using: &generator).map(room.cut)
        case 6: room.guests.randomElement(using: &generator)?.isFrozen.toggle()
        case 7: room.guests.randomElement(using: &generator)?.canConnect.toggle()
        case 8:
            let guest = room.guests.randomElement(using: &generator)
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                guest.map { _ = room.moveToGuest($0) }
            }
        default: room.pass(seconds: Int.random(in: 1...5, using: &generator))
        }
        check(isAtRest: false)
    }

    private mutating func say() {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let text =
                "\(said.count + 1) "
                + String(repeating: "x", count: Int.random(in: 0...300, using: &generator))
            said.append(text)
            room.say(text)
        }
    }

    /// Lets everything heal, and looks at what everybody has.
    mutating func settle() {
        for guest in room.guests {
            guest.isFrozen = false
            guest.canConnect = true
        }
        room.pass(seconds: 40)
        check(isAtRest: true)
    }

    private mutating func check(isAtRest: Bool) {
        for (number, guest) in room.guests.enumerated() {
            // What was looked at before need not be looked at again.
            for event in guest.events {
                guard case .line(let line) = event else { continue }
                let count = taken[number, default: 0]
                if count >= said.count || line.text != said[count] || line.seq != count + 1 {
                    failures.append("guest \(number) got line \(line.seq) after \(count)")
                }
                taken[number] = count + 1
            }
            guest.events = []
            let count = taken[number, default: 0]
            if isAtRest, count != said.count {
                failures.append("guest \(number) has \(count) of \(said.count) lines")
            }
        }
    }
}
