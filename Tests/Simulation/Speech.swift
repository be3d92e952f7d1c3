import BeamscribeCore

/// What the host's input brings, as JSON lines: finals, partials, withdrawals, corrections, each text
/// unlike any other.
struct Speech {
    /// The newest text of each open line, oldest first, as guests are to show it.
    private var open: [(line: String, text: String)] = []
    /// Open lines for which there is no room, or that came while others captioned. They stay where what would
    /// push them out is over before anybody hears of it, or where the host's turn begins with them.
    private var displaced: [(line: String, text: String)] = []
    /// All that was said of open lines, ever.
    private var whispers: Set<String> = []
    /// What was heard at the host while others captioned, and may be said by it yet, the oldest first.
    private var heard: [String] = []
    private var count = 0
    private static let filler = String(repeating: "x", count: Limits.lineBytes)

    /// Begins anew with a new process.
    mutating func forget() { (open, displaced) = ([], []) }

    /// Whether this was ever said of a line that was open.
    func hasWhispered(_ text: String) -> Bool { whispers.contains(text) }

    /// The open lines that are not among `shown`, and that guests are to show.
    func open(besides shown: [(line: String, text: String)]) -> [(line: String, text: String)] {
        open.filter { line in !shown.contains { $0 == line } }
    }

    /// Whether this is the newest text of a line that is open.
    func isOpen(_ line: (line: String, text: String)) -> Bool { open.contains { $0 == line } }

    /// What is wrong with what somebody shows as open; nil where nothing is.
    func fault(ofShowing shown: [(line: String, text: String)]) -> String? {
        let has = shown.filter { line in !displaced.contains { $0 == line } }
            .map { "\($0.line): \($0.text)" }.sorted()
        let due = open.map { "\($0.line): \($0.text)" }.sorted()
        return has == due ? nil : "it shows the partials \(has), where \(due) are open"
    }

    /// What is said now, which the host reads at once.
    mutating func speak(to host: HostRun, _ scenario: Scenario, _ world: World) -> String {
        if host.isOffRecord { return secret(world) }
        guard host.isOnAir else { return overheard(world) }
        heard = []
        var said = ""
        for _ in 0..<(world.chance(percent: 10) ? world.random(2...8) : 1) {
            switch world.random(0...9) {
            case 0...4 where !scenario.opensManyLines || world.chance(percent: 30):
                said += final(for: host, scenario, world)
            case 5: said += withdrawal(scenario, world)
            default: said += partial(scenario, world)
            }
        }
        return said
    }

    /// So many long lines at once; none where the host has nothing to say.
    mutating func speakAtLength(_ lines: Int, to host: HostRun, _ world: World) -> String {
        guard !host.isOffRecord, host.isOnAir else { return "" }
        return (0..<lines).map { _ in
            let text = text(of: Limits.lineBytes)
            host.truth.add(text)
            world.note("host", "says line", host.truth.lastSeq)
            return "{\"text\":\"\(text)\"}\n"
        }.joined()
    }

    private mutating func final(
        for host: HostRun, _ scenario: Scenario, _ world: World
    ) -> String {
        let isLongest = world.chance(percent: 1)
        let text = text(of: isLongest ? Limits.lineBytes : world.random(0...scenario.lineBytes))
        var more = ""
        if world.chance(percent: 70), let line = changing(scenario).first?.line {
            more += ",\"line\":\"\(line)\""
            open.removeAll { $0.line == line }
        }
        if world.chance(percent: 10) { more += ",\"replaces\":\(world.random(1...count))" }
        if world.chance(percent: 10) { more += ",\"speaker\":\"Ann\"" }
        host.truth.add(text)
        world.note("host", "says line", host.truth.lastSeq)
        return "{\"text\":\"\(text)\"\(more)}\n"
    }

    /// What nobody may ever see: a final, or what is heard of a line so far.
    private mutating func secret(_ world: World) -> String {
        count += 1
        world.note("host", "says off the record", count)
        let isFinal = world.chance(percent: 50)
        return "{\"text\":\"secret \(count)\",\"final\":\(isFinal),\"line\":\"s\(count / 3)\"}\n"
    }

    /// Lines that others caption. Where nothing is heard of them any more the host says what it has heard
    /// since their last word. What is only begun is shown where it is what the host begins its turn with.
    private mutating func overheard(_ world: World) -> String {
        count += 1
        world.note("host", "hears what others caption", count)
        let (text, line) = ("heard \(count)", "s\(count)")
        let isFinal = world.chance(percent: 50)
        if isFinal {
            heard.append(text)
        } else {
            whispers.insert(text)
            displaced.append((line, text))
        }
        return "{\"text\":\"\(text)\",\"final\":\(isFinal),\"line\":\"\(line)\"}\n"
    }

    /// The host says a line that it had heard while others captioned: those before it are not said any more.
    ///
    /// - Returns: whether there is such a line.
    mutating func says(_ text: String) -> Bool {
        guard let index = heard.firstIndex(of: text) else { return false }
        heard.removeFirst(index + 1)
        return true
    }

    /// What the operator types.
    mutating func typed(_ isSecret: Bool, _ world: World) -> String {
        isSecret ? "secret \(count)" : text(of: world.random(1...60))
    }

    /// A unique text of some bytes, as near as may be.
    private mutating func text(of bytes: Int) -> String {
        count += 1
        let number = "\(count) "
        return number + Self.filler.prefix(max(1, bytes - number.utf8.count))
    }

    private mutating func partial(_ scenario: Scenario, _ world: World) -> String {
        let isNew = open.isEmpty || world.chance(percent: scenario.opensManyLines ? 90 : 15)
        // More lines than are kept open would make old ones give way.
        let mayOpen = scenario.opensManyLines || open.count < Limits.openLines / 2
        let known = isNew && mayOpen ? nil : world.pick(Array(changing(scenario)))?.line
        let line = known ?? "u\(count)"
        return set(line, text(of: world.random(1...40)), world)
    }

    /// The open lines of which there is more to come.
    private func changing(_ scenario: Scenario) -> ArraySlice<(line: String, text: String)> {
        open.dropFirst(scenario.keepsLineOpen ? 1 : 0)
    }

    private mutating func withdrawal(_ scenario: Scenario, _ world: World) -> String {
        guard let line = world.pick(Array(changing(scenario)))?.line else { return "" }
        return set(line, "", world)
    }

    private mutating func set(_ line: String, _ text: String, _ world: World) -> String {
        world.note("host", text.isEmpty ? "withdraws" : "whispers", count)
        open.removeAll { $0.line == line }
        displaced.removeAll { $0.line == line }
        if !text.isEmpty {
            open.append((line, text))
            whispers.insert(text)
        }
        if open.count > Limits.openLines { displaced.append(open.removeFirst()) }
        return "{\"text\":\"\(text)\",\"final\":false,\"line\":\"\(line)\"}\n"
    }
}
