import FoundationEssentials

/// Reads a log from the streams of a server that keeps it, each line once and in order.
///
///     surveying ---- which parts there are ----> reading ---- a gap, broken, behind for 2 s ----> surveying
///
/// Anybody who may use the server may have found a way to write into a stream. So a line is given
/// once its writer's signature, or a head, proves it; everything else is skipped, and makes the
/// line's message a later one than that of its number.
///
/// Of a consumer it is expected that it begins where it was asked to, and nothing else: one that
/// continues after its server was started again repeats messages, one that does not brings none.
///
/// Invariant: `next` is the line behind those that were given, and `chain` what these hash to;
/// `held` are lines that follow them, and are not proven yet.
struct StreamReading {
    enum Action: Equatable {
        case ask(BackboneRequest)
        /// The next line, and what the lines through it hash to.
        case give([UInt8], LogHash)
    }

    /// For how long lines may not come of which their writer has told.
    static let patience = Duration.seconds(2)

    let session: UUID
    let runs: SessionRuns
    private let verifier: any LogVerifier
    /// The next line.
    private(set) var next: Int
    /// What the lines before that hash to.
    private(set) var chain: LineChain
    /// How its writer has said that the log stands.
    private(set) var head: LogHead
    /// Which of the log's parts there are; nil for what is not known.
    private var parts: [Int: Bool] = [:]
    /// The newest line that was there when that was asked; nil before.
    private(set) var newest: Int?
    /// How many messages the newest part had then.
    private var count = 0
    private var current: Current?
    /// The newest message before which others were missing, and that was read once more for that.
    private var excused = 0
    private var held: [Held] = []
    private var heldBytes = 0
    private var surveyed: Duration
    private var progressed: Duration
    private let packets = PacketDecoder()

    private struct Current {
        let number: Int
        let part: Int
        let base: Int
        /// The last line that is to be read from this part; nil for no last one.
        let end: Int?
        /// The number of the message that comes next.
        var expected: Int
    }

    /// A line that is not proven, and what the lines through it would hash to.
    private struct Held {
        let line: LineBatch.Line
        let chain: LineChain

        init(_ line: LineBatch.Line, behind lines: LineChain) {
            var chain = lines
            line.payload.withUnsafeBytes { chain.append(SignedPayload($0)) }
            (self.line, self.chain) = (line, chain)
        }
    }

    init(
        of session: UUID, _ runs: SessionRuns, after chain: LineChain, by head: LogHead,
        signedBy verifier: any LogVerifier, now: Duration
    ) {
        (self.session, self.runs, self.chain, self.head) = (session, runs, chain, head)
        self.verifier = verifier
        next = chain.seq + 1
        (surveyed, progressed) = (now, now)
    }

    /// The reading that is on; nil for none.
    var reading: Int? { current?.number }

    private func base(of part: Int) -> Int { runs.base(ofPart: part) }

    /// The line behind those that are held. A run may begin amid lines that one signature proves,
    /// which is in the next part then.
    private var following: Int { (held.last?.chain.seq ?? next - 1) + 1 }

    /// The last line that is to be read from this part; `.max` for no last one.
    private var end: Int { current?.end ?? .max }

    /// The writer has told how the log stands.
    mutating func told(_ head: LogHead) -> [Action] {
        self.head = head
        return prove(by: held.lastIndex { isHead($0.chain) })
    }

    private func isHead(_ chain: LineChain) -> Bool {
        chain.seq == head.seq && LogHash(hex: head.hash) == chain.hash
    }

    // MARK: Parts

    /// Asks which parts there are.
    mutating func begin(now: Duration) -> [Action] {
        let left = leave()
        drop()
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
    ///   - found: how many messages it has, and the newest; nil for a part that is not there.
    ///   - reading: the number of what is begun to be read with that.
    mutating func take(
        part: Int, _ found: (count: Int, newest: [UInt8])?, now: Duration, reading: () -> Int
    ) -> [Action] {
        guard current == nil, part >= 1, part <= runs.current, parts[part] == nil,
            found.map({ BackboneStream.messages.contains($0.count) }) ?? true
        else { return [] }
        parts[part] = found != nil
        // They are asked in this order, so that the last that is there counts.
        if let found { note(found.count, found.newest, in: part) }
        return read(now: now, reading: reading)
    }

    /// Where strangers have written into a stream its count says nothing about lines: its writer's
    /// head does.
    private mutating func note(_ count: Int, _ payload: [UInt8], in part: Int) {
        self.count = count
        let line = LineBatch.lines(of: payload, packets)?.last?.seq
        let counted = base(of: part) + count
        newest = count == 0 || line == counted ? counted : min(counted, head.seq)
    }

    /// Begins to read where that is known.
    mutating func read(now: Duration, reading: () -> Int) -> [Action] {
        guard current == nil else { return [] }
        guard (1..<runs.current + 1).allSatisfy({ parts[$0] != nil }) else { return survey() }
        let run = runs.run(of: following)
        guard let part = (1..<run + 1).last(where: { parts[$0] == true }) else { return [] }
        let later = (part..<runs.current + 1).dropFirst().filter { parts[$0] == true }
        let end = later.map { base(of: $0) }.filter { $0 >= following }.min()
        let first = max(following - base(of: part), 1)
        let new = Current(
            number: reading(), part: part, base: base(of: part), end: end, expected: first)
        (current, progressed) = (new, now)
        return [.ask(.read(.log(session, part: part), from: first, reading: new.number))]
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
        guard let expected = current?.expected, BackboneStream.messages.contains(number),
            number >= expected
        else { return [] }
        // What lies between is lost on the way, or a stranger's, under another subject.
        if number > expected, number > excused, isAhead(payload) {
            excused = number
            return begin(now: now) + read(now: now, reading: reading)
        }
        current?.expected = number + 1
        let before = next
        var given = hold(payload)
        // While history comes one signature is to prove much of it at once.
        if number >= count || heldBytes >= Limits.provenAtOnce
            || held.last?.line.seq == end
        {
            given += proveHeld()
        }
        if next > before { progressed = now }
        guard following > end else { return given }
        return given + leave() + read(now: now, reading: reading)
    }

    /// Whether there are lines missing before those of a message.
    private func isAhead(_ payload: [UInt8]) -> Bool {
        guard let first = LineBatch.lines(of: payload, packets)?.first else { return false }
        return first.seq > following
    }

    /// Takes a message's lines if they are the next ones.
    private mutating func hold(_ payload: [UInt8]) -> [Action] {
        guard let lines = LineBatch.lines(of: payload, packets), let last = lines.last,
            last.seq >= next, lines[0].seq <= end
        else { return [] }
        if lines.count == 1, last.seq == following {
            append(last)
            return []
        }
        guard lines.count > 1 || last.isSigned else { return [] }
        // A message proves itself, and one that stands in the place of another may be a lie.
        return proveHeld() + prove(lines, last)
    }

    /// Gives a message's lines, and those held before them, if its last line proves them.
    private mutating func prove(_ lines: [LineBatch.Line], _ last: LineBatch.Line) -> [Action] {
        let rest = lines.drop { $0.seq < next }
        guard let first = rest.first?.seq, first <= following else { return [] }
        var proof = Array(held.prefix(first - next))
        for line in rest { proof.append(Held(line, behind: proof.last?.chain ?? chain)) }
        guard isProven(proof[proof.count - 1]) else {
            // The next run may have begun before the signature. It proves these lines then.
            guard !last.isSigned || last.seq > end else { return [] }
            rest.drop { $0.seq < following }.prefix { $0.seq <= end }.forEach { append($0) }
            return []
        }
        // Lines that are held behind the same ones stay.
        let twin = held.dropFirst(proof.count - 1).first
        if twin?.chain.hash != proof.last?.chain.hash { held = proof }
        return prove(by: proof.count - 1)
    }

    private mutating func append(_ line: LineBatch.Line) {
        held.append(Held(line, behind: held.last?.chain ?? chain))
        heldBytes += line.payload.count
        // A writer who never signs does not fill the memory.
        if heldBytes > Limits.unprovenBytes { drop() }
    }

    private mutating func drop() { (held, heldBytes) = ([], 0) }

    /// Gives what the newest signature proves. Where it proves nothing, older ones are tried, and
    /// what begins with the first false one is dropped.
    private mutating func proveHeld() -> [Action] {
        let sealed = held.indices.filter { held[$0].line.isSigned || isHead(held[$0].chain) }
        guard let newest = sealed.last else { return [] }
        if isProven(held[newest]) { return prove(by: newest) }
        // A lie makes everything behind it untrue: what is true ends before the first lie.
        let firstLie = sealed.first { !isProven(held[$0]) } ?? newest
        held.removeSubrange(firstLie...)
        heldBytes = held.reduce(0) { $0 + $1.line.payload.count }
        return prove(by: sealed.last { $0 < firstLie })
    }

    private func isProven(_ held: Held) -> Bool {
        if isHead(held.chain) { return true }
        return held.line.payload.withUnsafeBytes { SignedPayload($0).signature }.map {
            verifier.accepts(
                $0, of: LogStatement.line(held.chain, run: runs.run(of: held.chain.seq)))
        } ?? false
    }

    private mutating func prove(by index: Int?) -> [Action] {
        guard let index else { return [] }
        let proven = held[...index]
        chain = held[index].chain
        next = chain.seq + 1
        held.removeSubrange(...index)
        heldBytes = held.reduce(0) { $0 + $1.line.payload.count }
        return proven.map { .give($0.line.payload, $0.chain.hash) }
    }

    /// Nothing more comes of what is being read. It is begun again with the next look.
    mutating func broken() {
        current = nil
        drop()
    }

    /// Time has passed.
    mutating func tick(now: Duration, reading: () -> Int) -> [Action] {
        // More may have been expected of a stream than is a log's.
        let given = proveHeld()
        if !given.isEmpty { progressed = now }
        if current != nil, following > end {
            return given + leave() + read(now: now, reading: reading)
        }
        return given + lookAgain(now: now, reading: reading)
    }

    /// Begins again where nothing comes of which the writer has told.
    private mutating func lookAgain(now: Duration, reading: () -> Int) -> [Action] {
        let isBehind = head.seq >= next
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
