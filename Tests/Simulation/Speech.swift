import BeamscribeCore

/// What the host's input brings: finals, partials, withdrawals, corrections, each text unlike any
/// other.
struct Speech {
    /// The newest text of each open line, oldest first, as guests are to show it.
    private(set) var open: [(line: String, text: String)] = []
    private var count = 0

    /// Begins anew with a new process.
    mutating func forget() { open = [] }

    mutating func speak(to process: HostProcess, _ scenario: Scenario) {
        process.log.inputArrived(now: process.now)
        for _ in 0..<(process.world.chance(percent: 10) ? process.world.random(2...8) : 1) {
            switch process.world.random(0...9) {
            case 0...4: sayFinal(to: process, scenario)
            case 5: withdraw(process)
            default: sayPartial(to: process, scenario)
            }
        }
    }

    private mutating func sayFinal(to process: HostProcess, _ scenario: Scenario) {
        let world = process.world
        let isLongest = world.chance(percent: 1)
        let wanted = isLongest ? Limits.lineBytes : world.random(0...scenario.lineBytes)
        var caption = Caption(text: text(of: wanted))
        if world.chance(percent: 70), let line = open.first?.line { caption.line = line }
        if world.chance(percent: 10) { caption.replaces = world.random(1...count) }
        if world.chance(percent: 10) { caption.speaker = "Ann" }
        let seq = process.publisher.publish(final: caption, now: process.now) ?? 0
        process.truth.add(caption.text)
        if seq != process.truth.lastSeq { world.fail("line \(seq) has a wrong number") }
        world.note("host", "says line", seq)
        open.removeAll { $0.line == caption.line }
    }

    /// A unique text of some bytes, as near as may be.
    private mutating func text(of bytes: Int) -> String {
        count += 1
        let number = "\(count) "
        return number + String(repeating: "x", count: max(0, bytes - number.utf8.count))
    }

    private mutating func sayPartial(to process: HostProcess, _ scenario: Scenario) {
        let world = process.world
        let isNew = open.isEmpty || world.chance(percent: scenario.opensManyLines ? 90 : 15)
        // More lines than are kept open would make old ones give way.
        let mayOpen = scenario.opensManyLines || open.count < Limits.openLines / 2
        let line = isNew && mayOpen ? "u\(count)" : world.pick(open)?.line ?? "u\(count)"
        let words = text(of: world.random(1...40))
        set(line, words, process)
    }

    private mutating func withdraw(_ process: HostProcess) {
        guard let line = process.world.pick(open)?.line else { return }
        set(line, "", process)
    }

    private mutating func set(_ line: String, _ text: String, _ process: HostProcess) {
        process.publisher.publish(partial: Caption(text: text, line: line), now: process.now)
        process.world.note("host", text.isEmpty ? "withdraws" : "whispers", count)
        open.removeAll { $0.line == line }
        if !text.isEmpty { open.append((line, text)) }
        if open.count > Limits.openLines { open.removeFirst() }
    }
}
