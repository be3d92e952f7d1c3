import BeamscribeCore

/// A guest that takes nothing on trust: it reads what the host sends and says where that is not
/// the wire's version 1.
struct HostWitness {
    /// Whether the host let the guest in.
    private(set) var isAccepted = false
    /// The newest final that came or that the host said is gone; nil before the history.
    private(set) var newest: Int?
    /// Whether the host said that the lines are proven, and whether the newest one or partial is.
    private(set) var (provesLines, isProven) = (false, true)
    private var isRejected = false
    private var isOver = false
    private var decoder = FrameDecoder()
    private let session: String

    init(session: String) {
        self.session = session
    }

    mutating func take(_ bytes: [UInt8]) throws(BrokenProperty) {
        var packets: [(Packet?, isSigned: Bool)] = []
        do {
            try bytes.withUnsafeBytes { bytes in
                try decoder.decode(bytes) { payload in
                    packets.append(
                        (try? PacketDecoder().packet(payload), SignedPayload(payload).isSigned))
                    return true
                }
            }
        } catch {
            throw BrokenProperty("the host \(error)")
        }
        for (packet, isSigned) in packets {
            guard let packet else { throw BrokenProperty("a frame that is no packet") }
            if case .liveChunk(let chunk) = packet {
                isProven = isSigned
                try expect(isSigned || chunk.isFinal || !provesLines, "an unsigned partial")
            }
            try take(packet)
        }
    }

    private mutating func take(_ packet: Packet) throws(BrokenProperty) {
        try expect(!isRejected && !isOver, "\(packet) after the last word")
        switch packet {
        case .handshakeResponse(let response):
            isRejected = response.status == .rejected
            try expect(isRejected || !isAccepted, "accepted twice")
            isAccepted = !isRejected
        case .fullHistory(let history):
            try expect(isAccepted && history.session == session, "a history too early")
            try expect(
                history.from >= (newest ?? 0) + 1 && history.through >= history.from - 1
                    && history.count == history.through - history.from + 1,
                "after \(newest ?? 0) comes \(history)")
            newest = history.from - 1
        case .liveChunk(let chunk) where chunk.isFinal:
            try expect(isAccepted && newest != nil, "a line before the history")
            try expect(chunk.seq == newest.map { $0 + 1 }, "\(chunk) after \(newest ?? 0)")
            newest = chunk.seq
        case .liveChunk(let chunk):
            try expect(isAccepted && chunk.seq == nil && chunk.revision != nil, "\(chunk)")
        case .alert(let alert):
            try expect(isAccepted, "an alert too early")
            isOver = alert.kind == Alert.Kind.ended.rawValue
        case .log(let record):
            provesLines = true
            try expect(isAccepted && newest == nil, "a record after the history")
            try expect(record.session == session, "the record of \(record.session)")
        case .head(let head):
            try expect(isAccepted && head.session == session, "a head too early")
            try expect(head.seq >= newest ?? 0, "line \(newest ?? 0) before a head of \(head.seq)")
        case .peers(let peers):
            try expect(isAccepted && peers.peers.count <= Limits.nodes, "\(peers)")
        case .keepAlive: try expect(isAccepted, "a sign of life too early")
        case .codeChallenge, .codeShare, .codeConfirm:
            throw BrokenProperty("a step of the code's proof, which is over")
        case .handshake, .grant, .read, .unread, .inLog, .voice, .unknown:
            throw BrokenProperty("a host sends \(packet)")
        }
    }

    /// What the operator sees of a guest is safe to show, its figures too.
    static func check(_ report: GuestReport) throws(BrokenProperty) {
        try expect(SafeTextProperties.isHarmless(report.guest.name), "\(report.guest.name)")
        try expect(report.lagLines >= 0, "a lag of \(report.lagLines) lines")
        let latency = report.latency.map { [$0.p50, $0.p95] } ?? []
        for seconds in latency + [report.lagSeconds] {
            try expect(
                Int(exactly: (seconds * 1_000).rounded()) != nil, "a figure of \(seconds) s")
        }
    }

    /// What the operator is told is safe to show.
    static func check(_ event: HostEvent) throws(BrokenProperty) {
        let texts =
            switch event {
            case .guestConnected(let guest, _), .guestJoined(let guest), .guestServes(let guest, _):
                [guest.name]
            case .guestLeft(let guest, let why, _): [guest.name, why]
            case .pageServed(let guest, let origin, _): [guest.name, origin]
            case .writerAsks(let guest, let log): [guest.name, log.label, log.deviceName]
            case .writerLetIn(let log), .writerFloods(let log), .writerRefused(let log, _),
                .logStands(let log, _):
                [log.label, log.deviceName]
            case .connectionRefused(_, let why): [why]
            case .doorClosed(let source): [source]
            case .storageFailed(let why): [why]
            case .historyTrimmed, .storageRestored, .storageGap: [String]()
            }
        for text in texts {
            try expect(SafeTextProperties.isHarmless(text), "not safe to show: \(text)")
            try expect(text.utf8.count <= 1_000, "\(text.utf8.count) bytes for a name")
        }
    }
}
