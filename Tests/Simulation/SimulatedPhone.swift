import FoundationEssentials

@testable import Beamscribe
@testable import BeamscribeCore

/// A browser with the host's page open: what its script does with the stream.
///
/// Invariant: `last` is the newest final that is shown or known to be missing.
final class SimulatedPhone {
    let name: String
    private let stage: Stage
    private var view = GuestView(.beginning)
    private var stream: PhoneStream?
    private var session: String?
    /// The starts of a host that it knows of.
    private var runs = 1
    private var last = 0
    private var newest = 0
    /// Open lines of a connection that was lost, unless they are told again.
    private var stale: Set<String> = []
    /// What has come of an event of the stream.
    private var text: [UInt8] = []
    private var isGone = false
    /// What it skipped, to be fetched, oldest first.
    private var holes: [ClosedRange<Int>] = []
    /// How many lines it wants before the present, and fetches at once: as the page does, or less, so
    /// that short events have a history, too.
    private let tail: Int
    private let pieceLines: Int
    private var isFetching = false
    private var world: World { stage.world }

    init(_ stage: Stage, name: String) {
        self.stage = stage
        self.name = name
        tail = stage.world.chance(percent: 50) ? 200 : stage.world.random(0...20)
        pieceLines = tail == 200 ? 500 : 25
    }

    // MARK: The stream

    func connect() {
        stream?.leave()
        (stream, text) = (nil, [])
        guard !isGone else { return }
        guard let run = stage.run, !run.isFinishing, !stage.machine.isAsleep else {
            return connectLater()
        }
        let opened = PhoneStream(to: run, after: last, tail: tail, world)
        stream = opened
        opened.hear = { [unowned self] in hear($0) }
        opened.broken = { [unowned self, unowned opened] in
            if stream === opened { connectLater() }
        }
        world.note(name, "asks for what follows", last)
        opened.begin()
    }

    private func connectLater() {
        stream = nil
        world.schedule(after: world.random(1_000_000...3_000_000)) { [weak self] in
            if let self, stream == nil { connect() }
        }
    }

    /// Bytes of the stream, cut anywhere: an event ends with an empty line.
    private func hear(_ bytes: [UInt8]) {
        for byte in bytes {
            let isEnd = byte == Self.newline && text.last == Self.newline
            text.append(byte)
            guard isEnd else { continue }
            let event = text
            let opened = stream
            text = []
            take(event)
            // Where another stream was opened, the rest of this one counts for nothing.
            if opened !== stream { return }
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private func take(_ event: [UInt8]) {
        var (id, name, json) = ("", "message", Data())
        for line in event.split(separator: Self.newline) {
            let end = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let value = line[end...].dropFirst(2)
            switch String(decoding: line[..<end], as: UTF8.self) {
            case "id": id = String(decoding: value, as: UTF8.self)
            case "event": name = String(decoding: value, as: UTF8.self)
            case "data": json += value
            default: break
            }
        }
        switch name {
        case "hello": (try? JSONDecoder().decode(FeedGreeting.self, from: json)).map(greet)
        case "message": chunk(json, isFinal: true).map { take($0, id) }
        case "partial": chunk(json, isFinal: false).map(takePartial)
        case "gap": (try? JSONDecoder().decode(Gap.self, from: json)).map(takeGap)
        case "beat": (try? JSONDecoder().decode(Beat.self, from: json)).map(takeBeat)
        default: break
        }
    }

    private struct Gap: Decodable {
        var from, through: Int
    }

    private struct Beat: Decodable {
        var lastSeq: Int
    }

    /// The caption of an event, whose name says what the wire's packet says itself.
    private func chunk(_ json: Data, isFinal: Bool) -> LiveChunk? {
        chunk(Data(#"{"type":"liveChunk","isFinal":\#(isFinal),"#.utf8) + json.dropFirst())
    }

    private func chunk(_ packet: Data) -> LiveChunk? {
        if case .liveChunk(let chunk)? = try? packet.withUnsafeBytes({
            try PacketDecoder().packet($0)
        }) {
            return chunk
        }
        world.fail("\(name): what it gets is no caption")
        return nil
    }

    // MARK: What the page does

    private func greet(_ hello: FeedGreeting) {
        if let session, session != hello.session {
            (view, last, holes) = (GuestView(.beginning), 0, [])
        }
        let isOther = session != hello.session
        let sure = isOther ? 0 : hello.runs.dropFirst(runs).reduce(last, min)
        let wasBehind = isOther && session != nil
        (session, runs, newest) = (hello.session, hello.runs.count, hello.lastSeq)
        let withdrawn = sure < last ? sure + 1...last : nil
        let known = SessionRuns(after: hello.runs)
        // A guest is told first what it has to forget.
        if let withdrawn {
            world.note(name, "withdraws from", withdrawn.lowerBound)
            let run = stage.run(session, hello.runs.count)
            if let fault = run.flatMap({ stage.fault(ofWithdrawalFrom: sure + 1, $0) }) {
                world.fail("\(name): \(fault)")
            }
            check(.withdrawn(from: sure + 1, through: last), run)
            last = sure
            holes = holes.filter { $0.lowerBound <= sure }
                .map { $0.clamped(to: 1...max(1, sure)) }
        }
        check(
            .joined(
                JoinedEvent(
                    eventName: hello.eventName, deviceName: hello.deviceName,
                    session: hello.session, runs: known ?? SessionRuns(), history: hello.lastSeq)))
        check(.state(.live))
        stale = Set(view.open.map(\.line))
        if wasBehind || withdrawn != nil { return connect() }
        skip(to: hello)
        fetchLater()
    }

    /// The stream goes on behind what it says: what was said up to there is at the host, or gone.
    private func skip(to hello: FeedGreeting) {
        guard hello.after > last else { return }
        if hello.firstSeq > last + 1 {
            let through = min(hello.after, hello.firstSeq - 1)
            check(.gap(from: last + 1, through: through))
            last = through
        }
        guard hello.after > last else { return }
        holes.append(last + 1...hello.after)
        last = hello.after
        view.skip(through: last)
    }

    // MARK: History

    private func fetchLater() {
        guard !isFetching, !holes.isEmpty, !isGone else { return }
        isFetching = true
        world.schedule(after: world.random(10_000...500_000)) { [weak self] in self?.fetch() }
    }

    /// Asks for a piece of a hole: its end as a rule, its beginning where the reader comes from there.
    private func fetch() {
        isFetching = false
        guard let hole = holes.last, let run = stage.run, !run.isFinishing,
            !stage.machine.isAsleep, stream != nil, let session
        else { return fetchSoon() }
        let isFromAbove = world.chance(percent: 20)
        let start = max(
            hole.lowerBound, (hole.upperBound - 1) / pieceLines * pieceLines + 1)
        let wanted =
            isFromAbove
            ? hole.lowerBound...min(hole.upperBound, hole.lowerBound + pieceLines - 1)
            : start...hole.upperBound
        let known = runs
        let range = run.greeting.history(
            of: session, run: known, before: wanted.upperBound + 1, count: wanted.count)
        let piece = range.flatMap { run.history($0) }
        isFetching = true
        // The answer may be lost, or come when the numbers mean something else.
        let isLost = world.chance(percent: 10)
        world.schedule(after: world.random(500...100_000)) { [weak self] in
            guard let self else { return }
            isFetching = false
            if let piece, !isLost, session == self.session, known == runs {
                fill(piece, in: hole)
            }
            fetchSoon()
        }
    }

    private func fetchSoon() {
        guard !holes.isEmpty else { return }
        fetchLater()
    }

    private func fill(_ piece: HistoryPiece, in hole: ClosedRange<Int>) {
        guard let index = holes.firstIndex(of: hole), let run = stage.run(session, runs) else {
            return
        }
        var texts: [Int: String] = [:]
        for row in piece.lines.split(separator: Self.newline) {
            if (try? JSONDecoder().decode(Gap.self, from: Data(row))) != nil { continue }
            guard let chunk = chunk(Data(row)), let seq = chunk.seq, piece.range.contains(seq)
            else { return world.fail("\(name): it fetches what it has not asked for") }
            texts[seq] = chunk.text
        }
        world.note(name, "fetches lines from", piece.range.lowerBound)
        if let fault = view.fill(piece.range, texts, from: run) { world.fail("\(name): \(fault)") }
        holes.remove(at: index)
        if piece.range.upperBound < hole.upperBound {
            holes.insert(piece.range.upperBound + 1...hole.upperBound, at: index)
        }
        if hole.lowerBound < piece.range.lowerBound {
            holes.insert(hole.lowerBound...piece.range.lowerBound - 1, at: index)
        }
    }

    private func take(_ chunk: LiveChunk, _ id: String) {
        guard let seq = chunk.seq, "\(seq)" == id else {
            return world.fail("\(name): a final's id is '\(id)'")
        }
        // The page would not show it again; a server that asks for that sends too much.
        guard seq > last else { return world.fail("\(name): line \(seq) comes twice") }
        if seq > last + 1 { check(.gap(from: last + 1, through: seq - 1)) }
        last = seq
        world.note(name, "shows line", seq)
        check(.line(TranscriptLine(chunk, seq: seq)))
    }

    private func takePartial(_ chunk: LiveChunk) {
        stale.remove(chunk.line)
        world.note(name, "shows a partial", chunk.text.utf8.count)
        check(.partial(PartialLine(line: chunk.line, text: chunk.text)))
    }

    private func takeGap(_ gap: Gap) {
        guard gap.through > last else { return }
        check(.gap(from: max(gap.from, last + 1), through: gap.through))
        last = gap.through
        view.open.forEach { check(.partial(PartialLine(withdrawing: $0.line))) }
    }

    /// What was open before the connection was lost has been told anew by now.
    private func takeBeat(_ beat: Beat) {
        newest = max(newest, beat.lastSeq)
        guard last >= newest else { return }
        for line in stale { check(.partial(PartialLine(withdrawing: line))) }
        stale = []
    }

    private func check(_ event: GuestEvent, _ run: RunTruth? = nil) {
        if case .line(let line) = event, line.text.hasPrefix("secret") {
            world.fail("\(name): it shows what was off the record")
        }
        let source = run ?? stage.run(view.session, view.run)
        if let fault = view.take(event, from: source) { world.fail("\(name): \(fault)") }
    }

    // MARK: What befalls it

    func befall(_ trouble: Trouble, for time: Int) {
        switch trouble {
        case .phoneStalls: stream?.stall(for: time)
        case .phoneReloads:
            reload()
        default: stream?.cut()
        }
    }

    /// A page that is loaded anew has what its tab has kept, or nothing in another tab.
    private func reload() {
        stale = []
        if world.chance(percent: 50) {
            view = view.restarted
        } else {
            view = GuestView(.beginning)
            (session, runs, last, newest, holes) = (nil, 1, 0, 0, [])
        }
        connect()
    }

    /// What is wrong with what it shows, once it must have everything.
    var fault: String? {
        guard let truth = stage.truth else { return nil }
        if let hole = holes.first { return "it has not fetched line \(hole.lowerBound)" }
        return view.fault(comparedTo: truth, stage.speech, nil)
    }

    func end() {
        isGone = true
        connect()
    }
}
