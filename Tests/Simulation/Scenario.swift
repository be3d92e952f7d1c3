import BeamscribeCore

/// What kind of run a seed stands for: its sizes, its times and its troubles.
struct Scenario {
    let guests: Int
    let maximumGuests: Int
    let phones: Int
    /// Microseconds of trouble, before everything heals.
    let duration: Int
    /// The bytes of the host's memory and of a chunk of it.
    let history: Int
    let chunk: Int
    /// Whether that memory holds a few lines only.
    let isForgetful: Bool
    /// How often something is said and something befalls somebody, in microseconds.
    let speechPause: Int
    let troublePause: Int
    /// The longest ordinary line, in bytes.
    let lineBytes: Int
    /// The kinds of trouble of this run, each as often as it stands here.
    let troubles: [Trouble]
    /// Whether somebody reads slowly at the end, while much is said.
    let hasSlowReader: Bool
    let timing: Timing
    /// Whether partials come for more lines than are kept open.
    let opensManyLines: Bool
    /// Whether the first line that is begun stays open as it is.
    let keepsLineOpen: Bool
    let endsEvent: Bool
    /// Whether it is its input's end that ends it.
    let endsWithInput: Bool
    /// Whether a host that has ended its event stays for late readers.
    let lingers: Bool
    let sharesDevices: Bool
    /// Whether guests have to prove the event's code.
    let hasCode: Bool
    /// How many descriptors the host may have open: few make its door narrow.
    let openFiles: Int
    /// How many events a guest keeps for its reader.
    let waitingEvents: Int
    /// Whether everybody talks by TLS.
    let isSecure: Bool
    /// Who serves the event besides its host; nil where nobody does.
    let holding: Holding?
    /// Whether those keep it on their disks.
    let holdersKeep: Bool
    /// Guests who caption, too.
    let writers: Int
    /// Whether those stand by, and one of them captions while the host does not.
    let standsBy: Bool
    /// Whether those are two programs on copies of one folder.
    let writersAreTwins: Bool
    /// Whether the host's operator puts writers out, and lets them in again.
    let putsWritersOut: Bool
    /// Whether there is another host on a copy of the host's folder.
    let hasTwin: Bool
    /// Programs that come to whoever serves the event, and are no guests of ours.
    let visitors: Int

    /// How many serve the event besides its host.
    struct Holding {
        /// Guests who do.
        let guests: Int
        /// Programs that seem to, and lie.
        let liars: Int
    }

    init(_ world: World, seed: UInt64, isPlain: Bool) {
        isSecure = !isPlain
        holding = isPlain ? nil : Self.holding(seed)
        holdersKeep = holding != nil && Self.chance(seed, of: 2, 0x6b65_6570)
        let writers = isPlain ? 0 : Self.writers(seed, amongHolders: holding != nil)
        self.writers = writers
        standsBy = writers > 0 && Self.standsBy(seed)
        writersAreTwins = writers == 2 && !standsBy && Self.chance(seed, of: 2, 0x6475_616c)
        visitors = isPlain ? 0 : Self.visitors(seed)
        putsWritersOut =
            writers > 0 && !standsBy && !writersAreTwins && Self.chance(seed, of: 2, 0x7075_746f)
        let isLarge = world.chance(percent: 4)
        let few = isLarge ? world.random(4...12) : world.random(1...4)
        guests = max(few, holding.map { $0.guests + max(writers, 1) + 1 } ?? writers)
        let places = world.chance(percent: 8) ? world.random(1...4) : 1_024
        // Who is one too many at the host stays with others: that is not judged.
        maximumGuests = holding == nil ? places : 1_024
        duration = .seconds(isLarge ? world.random(30...150) : world.random(5...40))
        isForgetful = world.chance(percent: 25)
        chunk = isForgetful ? 4_700 : 65_536
        history = isForgetful ? world.random(2...4) * chunk : 1 << 22
        speechPause = .milliseconds(world.random(200...3_000))
        troublePause = .milliseconds(world.random(300...6_000))
        lineBytes = isForgetful ? world.random(300...3_500) : 60
        var kinds: [Trouble] = []
        for kind in Trouble.allCases where world.chance(percent: 40) {
            kinds += [Trouble](repeating: kind, count: world.random(1...3))
        }
        troubles = kinds
        timing = Scenario.timing(world)
        hasSlowReader = Self.hasSlowReader(seed)
        // Beside another writer the host may let go another line than is thought here.
        opensManyLines = world.chance(percent: 5) && writers == 0
        keepsLineOpen = world.chance(percent: 20)
        endsEvent = world.chance(percent: 40)
        endsWithInput = endsEvent && world.chance(percent: 40)
        lingers = endsEvent && world.chance(percent: 30)
        waitingEvents = world.chance(percent: 50) ? world.random(1...40) : Limits.waitingEvents
        openFiles = world.chance(percent: 30) ? world.random(16...100) : 1_024
        hasCode = !isPlain && world.chance(percent: 15)
        phones = world.chance(percent: 25) ? world.random(1...3) : 0
        sharesDevices = !isPlain && holding == nil && world.chance(percent: 8)
        hasTwin =
            !isPlain && holding == nil && writers == 0 && !sharesDevices
            && maximumGuests > guests && Self.chance(seed, of: 8, 0x7477_696e)
    }

    /// One event of four has those. Chance of its own decides, so that all others are as they were.
    private static func holding(_ seed: UInt64) -> Holding? {
        var generator = SeededGenerator(seed: seed ^ 0x686f_6c64)
        guard generator.next() % 4 == 0 else { return nil }
        let guests = Int(clamping: generator.next() % 3) + 1
        let liars = Int(clamping: generator.next() % 3)
        return Holding(guests: guests, liars: liars)
    }

    /// One event of five has one or two, and every second that is held by others, too.
    private static func writers(_ seed: UInt64, amongHolders: Bool) -> Int {
        var generator = SeededGenerator(seed: seed ^ 0x7772_6974)
        guard generator.next() % (amongHolders ? 2 : 5) == 0 else { return 0 }
        return Int(clamping: generator.next() % 2) + 1
    }

    /// One event of three has some.
    private static func visitors(_ seed: UInt64) -> Int {
        var generator = SeededGenerator(seed: seed ^ 0x7669_7369)
        guard generator.next() % 3 == 0 else { return 0 }
        return Int(clamping: generator.next() % 6) + 1
    }

    /// Every second of them.
    private static func standsBy(_ seed: UInt64) -> Bool { chance(seed, of: 2, 0x7374_616e) }

    /// - Parameter matter: what it decides: each has chance of its own.
    private static func chance(_ seed: UInt64, of most: UInt64, _ matter: UInt64) -> Bool {
        var generator = SeededGenerator(seed: seed ^ matter)
        return generator.next() % most == 0
    }

    /// One event of four has a reader who is slow, and gets on, when much is said at its end.
    private static func hasSlowReader(_ seed: UInt64) -> Bool { chance(seed, of: 4, 0x736c_6f77) }

    private static func timing(_ world: World) -> Timing {
        var timing = Timing()
        if world.chance(percent: 30) {
            timing.stuckTimeout = .seconds(8)
            timing.clockInterval = .seconds(5)
        }
        return timing
    }
}
