import BeamscribeCore

/// A guest's reader that believes nothing: it takes the session's actions and says which of them
/// break what the session promises.
struct GuestWitness {
    private(set) var outcome: GuestOutcome?
    /// The newest final or gap that was told; nil before the first.
    private var newest: Int?
    private var isFirst = true
    private let configuration: GuestSession.Configuration
    private var states: [GuestState] = [.searching]
    private var open: Set<String> = []
    private var owesHandshake = false
    /// Whether the host of this connection was proved to know the code.
    private var isProven = false
    private var writers = TranscriptFormat.allCases.map { EventWriter($0) }

    init(_ configuration: GuestSession.Configuration) {
        self.configuration = configuration
        newest = configuration.resume?.after
    }

    /// Where the session says it stands, unless that is before what was told already.
    func position(of guest: GuestSession) -> Int? {
        let after = guest.position?.after
        return after ?? -1 >= newest ?? -1 ? after : newest
    }

    mutating func take(_ action: GuestSession.Action) throws(BrokenProperty) {
        try expect(outcome == nil, "\(action) after the end")
        switch action {
        case .connect: (owesHandshake, isProven) = (true, false)
        case .disconnect: owesHandshake = false
        case .pull: throw BrokenProperty("a log to be sent, where none is written")
        case .voices, .voice: throw BrokenProperty("voices, where nobody wants any")
        case .goElsewhere: try expect(!owesHandshake, "a connection to be left")
        case .hear(let peers): try expect(peers.addresses(toldFrom: nil).count <= 256, "many peers")
        case .proveCode(let salt):
            try expect(configuration.hasCode && (16...64).contains(salt.count), "no code, or salt")
        case .judgeCode: try expect(configuration.hasCode, "nothing to judge")
        case .send(let frame): try take(sent: frame)
        case .report(let event):
            try take(event)
            try checkWriting(event)
        case .finish(let outcome):
            self.outcome = outcome
            try expect(open.isEmpty, "partials stay open at the end: \(open)")
        }
    }

    private mutating func take(sent frame: [UInt8]) throws(BrokenProperty) {
        var packets: [Packet] = []
        var decoder = FrameDecoder(limit: Limits.guestFramePayload)
        do {
            try frame.withUnsafeBytes { bytes in
                try decoder.decode(bytes) { payload in
                    if let packet = try? PacketDecoder().packet(payload) { packets.append(packet) }
                    return true
                }
            }
        } catch {
            throw BrokenProperty("a guest's frame that \(error)")
        }
        try expect(packets.count == 1 && !decoder.isInsideFrame, "not one packet: \(frame)")
        switch packets[0] {
        case .handshake(let handshake):
            try expect(owesHandshake, "a handshake again")
            owesHandshake = false
            try expect(
                !configuration.hasCode || handshake.resume == nil, "tells anybody what it has")
            if let resume = handshake.resume, let newest {
                try expect(resume.after >= newest, "asks again for lines that it has")
            }
        case .codeShare: try expect(configuration.hasCode && !owesHandshake, "a share")
        case .codeConfirm: isProven = true
        case .keepAlive: try expect(!owesHandshake, "a keep-alive before the handshake")
        default: throw BrokenProperty("a guest sends \(packets[0])")
        }
    }

    private mutating func take(_ event: GuestEvent) throws(BrokenProperty) {
        switch event {
        case .state(let state):
            try expect(state != states.last, "the state \(state) again")
            try check(state)
            states.append(state)
        case .joined(let event):
            try expect(isProven == configuration.hasCode, "joined without the code's proof")
            try check(event.eventName, Limits.eventNameBytes)
            try check(event.deviceName, Limits.deviceNameBytes)
            try check(event.session, 36)
            try expect(open.isEmpty, "partials of an earlier connection: \(open)")
        case .line(let line): try take(line)
        case .partial(let partial):
            try check(partial.line, Limits.labelBytes)
            try check(partial.text, Limits.lineBytes)
            try check(partial.speaker ?? "", Limits.labelBytes)
            try check(partial.lang ?? "", Limits.labelBytes)
            if partial.text.isEmpty {
                open.remove(partial.line)
            } else {
                open.insert(partial.line)
            }
            try expect(open.count <= Limits.openLines + 1, "\(open.count) open lines")
        case .alert(let kind, let message):
            try check(kind, 40)
            try check(message, Limits.messageBytes)
        case .gap(let from, let through):
            try expect(from <= through, "a gap from \(from) through \(through)")
            try expect(from > newest ?? 0, "a gap in what was told: \(from)")
            newest = through
        case .withdrawn(let from, let through):
            try expect(from <= through, "withdrawn from \(from) through \(through)")
            try expect(through == newest, "withdrawn through \(through), not \(newest ?? 0)")
            newest = from - 1
        case .begunAnew:
            try expect(newest ?? 0 > 0, "begun anew, where nothing was begun")
            newest = nil
        case .stillLost(let loss): try check(loss.why, 2_000)
        case .stats: throw BrokenProperty("statistics, which a session does not tell by itself")
        case .inLog, .log, .isRead, .isPutOut:
            throw BrokenProperty("another log, where nobody reads one")
        case .turnedAway: throw BrokenProperty("a driver's news, which a session does not tell")
        case .trouble(let why): try check(why, 2_000)
        }
    }

    /// Every final once and in order; lines in between are in a gap, or were not asked for.
    private mutating func take(_ line: TranscriptLine) throws(BrokenProperty) {
        try expect(line.seq > newest ?? 0, "line \(line.seq) after \(newest ?? 0)")
        if let newest, configuration.start == .beginning || !isFirst {
            try expect(line.seq == newest + 1, "line \(line.seq) after \(newest)")
        }
        isFirst = false
        newest = line.seq
        open.remove(line.line)
        try expect(
            Int(exactly: (line.latency * 1_000).rounded()) != nil, "late by \(line.latency) s")
        for (text, limit) in [
            (line.text, Limits.lineBytes), (line.line, Limits.labelBytes),
            (line.speaker ?? "", Limits.labelBytes), (line.lang ?? "", Limits.labelBytes),
        ] {
            try check(text, limit)
        }
    }

    private func check(_ state: GuestState) throws(BrokenProperty) {
        switch state {
        case .syncing(let received, let total):
            try expect(0 <= received && received <= total, "\(received) of \(total)")
        case .silent(let age):
            try expect(Int(exactly: age.rounded()) != nil, "an age of \(age) s")
        case .reconnecting(let loss): try check(loss.why, 2_000)
        default: break
        }
    }

    private func check(_ text: String, _ limit: Int) throws(BrokenProperty) {
        try expect(SafeTextProperties.isHarmless(text), "text that is not safe to show: \(text)")
        try expect(text.utf8.count <= limit, "\(text.utf8.count) bytes over the limit of \(limit)")
    }

    /// No format stops at an event, and those of lines take one line each.
    private mutating func checkWriting(_ event: GuestEvent) throws(BrokenProperty) {
        for index in writers.indices {
            _ = writers[index].text(for: [])
            let text = writers[index].text(for: [event])
            // Words that nobody can see make no subtitle.
            if case .line(let line) = event, line.text.contains(where: \.isLetter) {
                try expect(text.hasSuffix("\n"), "\(writers[index].format) leaves out a line")
            }
            if [.text, .jsonl].contains(writers[index].format) {
                let ends = text.utf8.count { $0 == 0x0A }
                try expect(ends <= 1, "\(ends) lines for one event: \(text)")
            }
        }
    }
}
