import BeamscribeCore
import FoundationEssentials

/// An event with readers, what befalls it, and what readers must have been given by then.
struct RandomFeed {
    private let host: VirtualHost
    private let now = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)
    private var generator: SeededGenerator
    private var readers: [Witness] = []
    private var said: [String] = []
    /// The open line that each final completes.
    private var lines: [String] = []
    /// The newest text of each line that is open.
    private var open: [String: String] = [:]
    private var alerts: [String] = []
    /// What of the alerts holds: of the input, and of the storage.
    private var standing: [String?] = [nil, nil]
    private var isOver = false
    private(set) var failures: [String] = []

    /// A reader, and what it should be given next.
    private struct Witness {
        var reader: FeedReader
        var next: Int
        /// The open lines as it shows them.
        var open: [String: String] = [:]
        /// How many alerts it has had, those before its first look included; nil before that.
        var alerts: Int?
        var isOver = false
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        host = VirtualHost(Transcript(limit: 2_048, chunkSize: 1_024), seed: seed, now: now)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
    }

    /// Ends the event, and has everybody read to the end.
    mutating func finish() {
        _ = host.room.finish(.ended, "Goodbye.", now: now)
        isOver = true
        for index in readers.indices {
            while look(index) == .more {}
            expect(readers[index].isOver && readers[index].next == said.count + 1, "to the end")
            expect(look(index) == .over, "over for good")
        }
        expect(Set(readers.map { $0.reader.position.seq }).count <= 1, "one end")
        let first = readers.first?.reader.position
        expect(readers.allSatisfy { $0.reader.position == first }, "equal positions")
    }

    private mutating func step() {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...2: say()
        case 3...4: whisper()
        case 5: alert()
        case 6: _ = host.room.trim()
        case 7 where readers.count < 8:
            let seq = Int.random(in: -2...said.count + 2, using: &generator)
            let next = (0...said.count).contains(seq) ? seq + 1 : 1
            readers.append(Witness(reader: FeedReader(host.log, after: seq), next: next))
        default:
            if !readers.isEmpty { look(readers.indices.randomElement(using: &generator)!) }
        }
    }

    private mutating func say() {
        for _ in 0...Int.random(in: 0...4, using: &generator) {
            let text = "line \(said.count + 1)"
            let begun = Bool.random(using: &generator) ? open.keys.sorted().first : nil
            let line = begun ?? "f\(said.count)"
            host.publisher.publish(final: Caption(text: text, line: line), now: now)
            open[line] = nil
            said.append(text)
            lines.append(line)
        }
    }

    private mutating func whisper() {
        let line = ["a", "b", "c"].randomElement(using: &generator)!
        let isWithdrawal = Int.random(in: 0..<4, using: &generator) == 0
        let text = isWithdrawal ? "" : "w\(UInt16.random(in: 0 ... .max, using: &generator))"
        host.publisher.publish(partial: Caption(text: text, line: line), now: now)
        open[line] = text
    }

    private mutating func alert() {
        let kinds: [(Alert.Kind, Int?, Bool)] = [
            (.paused, 0, true), (.inputStalled, 0, true), (.resumed, 0, false), (.mark, nil, false),
            (.storageFailed, 1, true), (.storageRestored, 1, false), (.batteryLow, nil, false),
        ]
        let (kind, place, holds) = kinds.randomElement(using: &generator)!
        host.log.tell(kind, "word", now: now)
        alerts.append(kind.rawValue)
        if let place { standing[place] = holds ? kind.rawValue : nil }
    }

    @discardableResult
    private mutating func look(_ index: Int) -> Reader.Outcome {
        let limit = Int.random(in: 1...600, using: &generator)
        let (new, outcome) = readers[index].reader.look(at: host.log, limit: limit)
        let wasOver = readers[index].isOver
        var owed = new[...]
        takeFinals(&owed, index)
        guard outcome != .more else {
            expect(owed.isEmpty, "nothing but finals before the end")
            expect(!new.isEmpty, "something each time")
            expect(readers[index].next <= said.count, "more to come")
            return outcome
        }
        expect(readers[index].next == said.count + 1, "every final")
        takeAlerts(&owed, index)
        takePartials(&owed, index)
        expect(outcome == (isOver ? .over : .drained), "its end")
        if isOver, !wasOver { expect(owed.popFirst() == .alert("ended"), "the last word") }
        readers[index].isOver = isOver
        expect(owed.isEmpty, "nothing else")
        return outcome
    }

    private mutating func takeFinals(_ owed: inout ArraySlice<FeedReader.Item>, _ index: Int) {
        if case .gap(let lines)? = owed.first {
            owed.removeFirst()
            expect(lines.lowerBound == readers[index].next, "the gap's begin")
            expect(lines.upperBound == host.log.firstSeq - 1, "the gap's end")
            readers[index].next = lines.upperBound + 1
            readers[index].open = [:]
        }
        while case .final(let seq, let text)? = owed.first {
            owed.removeFirst()
            expect(seq == readers[index].next && text == said[seq - 1], "final \(seq)")
            readers[index].next += 1
            readers[index].open[lines[seq - 1]] = nil
        }
    }

    private mutating func takeAlerts(_ owed: inout ArraySlice<FeedReader.Item>, _ index: Int) {
        let expected =
            readers[index].alerts.map { alerts[$0...].suffix(Limits.recentAlerts) }
            ?? standing.compactMap(\.self)[...]
        for kind in expected { expect(owed.popFirst() == .alert(kind), "alert \(kind)") }
        readers[index].alerts = alerts.count
    }

    private mutating func takePartials(_ owed: inout ArraySlice<FeedReader.Item>, _ index: Int) {
        var seen: Set<String> = []
        while case .partial(let line, let text)? = owed.first {
            owed.removeFirst()
            expect(seen.insert(line).inserted, "a line's newest text alone")
            expect(open[line] == text, "the newest text of \(line)")
            readers[index].open[line] = text
        }
        let shown = readers[index].open.filter { $0.value != "" }
        expect(shown == open.filter { $0.value != "" }, "what is open")
    }

    private mutating func expect(_ isRight: Bool, _ what: String) {
        if !isRight { failures.append(what) }
    }
}
