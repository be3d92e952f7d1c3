import FoundationEssentials

/// Reads a log from the streams of a server that keeps it, each line once and in order.
///
///     surveying ---- which parts there are ----> reading ---- a gap, broken, behind for 2 s ----> surveying
///
/// Of a consumer it is expected that it begins where it was asked to, and nothing else: one that goes on after
/// its server was started again repeats lines, one that does not brings none.
///
/// Invariant: `next` is the line behind those that were given, and `chain` what these hash to.
struct StreamReading {
    enum Action: Equatable {
        case ask(BackboneRequest)
        /// The next line.
        case give([UInt8])
    }

    /// For how long lines may not come of which their writer has told.
    static let patience = Duration.seconds(2)

    let session: UUID
    let runs: SessionRuns
    /// The next line.
    private(set) var next: Int
    /// What the lines before that hash to.
    private(set) var chain: LineChain
    /// How many lines its writer has told of.
    var told: Int
    /// Which of the log's parts there are; nil for what is not known.
    private var parts: [Int: Bool] = [:]
    /// The newest line that was there when that was asked; nil before.
    private(set) var newest: Int?
    private var current: Current?
    private var surveyed: Duration
    private var progressed: Duration

    private struct Current {
        let number: Int
        let part: Int
        let base: Int
        /// The last line that is to be read from this part; nil for no last one.
        let end: Int?
    }

    init(of session: UUID, _ runs: SessionRuns, after chain: LineChain, told: Int, now: Duration) {
        (self.session, self.runs, self.chain, self.told) = (session, runs, chain, told)
        next = chain.seq + 1
        (surveyed, progressed) = (now, now)
    }

    /// The reading that is on; nil for none.
    var reading: Int? { current?.number }

    private func base(of part: Int) -> Int { runs.base(ofPart: part) }

    // MARK: Parts

    /// Asks which parts there are.
    mutating func begin(now: Duration) -> [Action] {
        let left = leave()
        (parts, surveyed, progressed) = ([:], now, now)
        return left + survey()
    }

    private func survey() -> [Action] {
        guard let unknown = (1..<runs.current + 1).first(where: { parts[$0] == nil }) else {
            return []
        }
        return [.ask(.look(.log(session, part: unknown)))]
    }

    /// The server says whether a part is there.
    ///
    /// - Parameters:
    ///   - count: how many messages it has; nil for one that is not there.
    ///   - reading: the number of what is begun to be read with that.
    mutating func take(part: Int, count: Int?, now: Duration, reading: () -> Int) -> [Action] {
        guard current == nil, part >= 1, part <= runs.current, parts[part] == nil,
            count.map(BackboneStream.messages.contains) ?? true
        else { return [] }
        parts[part] = count != nil
        // They are asked in this order, so that the last that is there counts.
        if let count { newest = base(of: part) + count }
        return read(now: now, reading: reading)
    }

    /// Begins to read where that is known.
    mutating func read(now: Duration, reading: () -> Int) -> [Action] {
        guard current == nil else { return [] }
        guard (1..<runs.current + 1).allSatisfy({ parts[$0] != nil }) else { return survey() }
        let run = runs.run(of: next)
        guard let part = (1..<run + 1).last(where: { parts[$0] == true }) else { return [] }
        let later = (part..<runs.current + 1).dropFirst().filter { parts[$0] == true }
        let end = later.map { base(of: $0) }.filter { $0 >= next }.min()
        let new = Current(number: reading(), part: part, base: base(of: part), end: end)
        (current, progressed) = (new, now)
        return [
            .ask(.read(.log(session, part: part), from: next - new.base, reading: new.number))
        ]
    }

    /// Ends what is being read.
    mutating func leave() -> [Action] {
        defer { current = nil }
        return current.map { [.ask(.leave(reading: $0.number))] } ?? []
    }

    // MARK: Lines

    /// A message of what is being read.
    mutating func take(
        _ number: Int, _ payload: [UInt8], now: Duration, reading: () -> Int
    ) -> [Action] {
        guard let current, BackboneStream.messages.contains(number) else { return [] }
        let line = current.base + number
        guard line <= current.end ?? .max, line >= next else { return [] }
        // What lies between is lost on the way.
        guard line == next else { return begin(now: now) + read(now: now, reading: reading) }
        payload.withUnsafeBytes { chain.append(SignedPayload($0)) }
        (next, progressed) = (next + 1, now)
        guard line == current.end else { return [.give(payload)] }
        return [.give(payload)] + leave() + read(now: now, reading: reading)
    }

    /// Nothing more comes of what is being read. It is begun again with the next look.
    mutating func broken() { current = nil }

    /// Time has passed.
    mutating func tick(now: Duration, reading: () -> Int) -> [Action] {
        let isBehind = told >= next
        if current == nil {
            guard now - surveyed >= .seconds(1) else { return [] }
            return begin(now: now) + read(now: now, reading: reading)
        }
        guard isBehind else {
            progressed = now
            return []
        }
        guard now - progressed >= Self.patience else { return [] }
        return begin(now: now) + read(now: now, reading: reading)
    }
}
