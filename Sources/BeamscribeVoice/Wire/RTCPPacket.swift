import BeamscribeCore

/// A packet of RTP's control protocol (RFC 3550, section 6): several things in one, the first of which says how
/// what others send arrives.
///
///     |V=2|P|  count  |  packet type  |  length in words, less one  |  body ... |    and the next
///
/// What is of no use here (APP, other items of SDES, other blocks of extended reports, feedback) is passed over; its bounds are judged all the same.
public struct RTCPPacket: Equatable, Sendable {
    /// How what one source sends arrives (section 6.4.1).
    public struct Report: Equatable, Sendable {
        /// Whose packets these are.
        public var source: UInt32
        /// How many of 256 were lost since the last report.
        public var fractionLost: UInt8
        /// How many were lost in all; less than none where some came twice. 24 bits.
        public var lost: Int32
        /// The highest sequence number that came, with the number of times that it went round above it.
        public var highestSequence: UInt32
        /// How much the time between packets varies, in samples of 48 kHz.
        public var jitter: UInt32
        /// The middle 32 bits of the NTP time in the last sender's report; 0 for none.
        public var lastReport: UInt32
        /// How long ago that came, in 1/65536 s.
        public var sinceLastReport: UInt32

        /// A report of nothing.
        public init(source: UInt32) {
            self.source = source
            (fractionLost, lost, highestSequence, jitter) = (0, 0, 0, 0)
            (lastReport, sinceLastReport) = (0, 0)
        }
    }

    /// When a talker's clocks showed what, and how much he has sent (section 6.4.1).
    public struct Sending: Equatable, Sendable {
        /// Seconds since 1900 and their fraction: 32 bits each.
        public var time: UInt64
        /// The same moment by the clock of the packets, in samples of 48 kHz.
        public var timestamp: UInt32
        /// Packets sent so far.
        public var packets: UInt32
        /// Bytes of payload sent so far.
        public var bytes: UInt32

        /// What was sent by a moment.
        public init(time: UInt64, timestamp: UInt32, packets: UInt32, bytes: UInt32) {
            (self.time, self.timestamp) = (time, timestamp)
            (self.packets, self.bytes) = (packets, bytes)
        }
    }

    /// Who says this.
    public var source: UInt32
    /// What he sends; nil for who only listens.
    public var sending: Sending?
    /// How what he hears arrives.
    public var reports: [Report]
    /// Which packets came of what he hears, for who wants to know more than a share.
    public var losses: [LossMap]
    /// His name for the length of a session, by which other sources of his are known; nil for none told.
    public var name: String?
    /// Those who say goodbye.
    public var leaving: [UInt32]

    /// The most reports that one may hold: five bits.
    public static let mostReports = 31

    private enum Kind: UInt8 {
        case senderReport = 200
        case receiverReport = 201
        case description = 202
        case goodbye = 203
        case extendedReport = 207
    }
    private static let canonicalName: UInt8 = 1

    /// A packet that says that somebody is there.
    public init(
        source: UInt32, sending: Sending? = nil, reports: [Report] = [], losses: [LossMap] = [],
        name: String? = nil, leaving: [UInt32] = []
    ) {
        (self.source, self.sending, self.name) = (source, sending, name)
        self.reports = Array(reports.prefix(Self.mostReports))
        self.losses = Array(losses.prefix(Self.mostReports))
        self.leaving = Array(leaving.prefix(Self.mostReports))
    }

    /// Whether bytes that came at a port that RTP and RTCP share are of RTCP (RFC 5761, section 4).
    public static func isControl(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && (192...223).contains(bytes[1])
    }

    // MARK: Reading

    /// Reads a compound packet.
    ///
    /// - Throws: what is wrong with it.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(PacketFault) {
        guard bytes.count >= 8 else { throw .tooShort }
        guard bytes[1] == Kind.senderReport.rawValue || bytes[1] == Kind.receiverReport.rawValue
        else { throw .payloadType }
        self.init(source: bytes.bigEndian(UInt32.self, at: 4))
        var start = 0
        while start < bytes.count {
            guard start + 4 <= bytes.count else { throw .bounds }
            guard bytes[start] >> 6 == 2 else { throw .version }
            let length = 4 * (Int(bytes.bigEndian(UInt16.self, at: start + 2)) + 1)
            var end = start + length
            guard end <= bytes.count else { throw .bounds }
            if bytes[start] & 0x20 != 0 {
                // Padding is at the end of the last alone.
                let padding = Int(bytes[end - 1])
                guard end == bytes.count, padding > 0, padding <= length - 4 else { throw .bounds }
                end -= padding
            }
            let body = UnsafeRawBufferPointer(rebasing: bytes[start + 4..<end])
            try read(Kind(rawValue: bytes[start + 1]), body, count: Int(bytes[start] & 0x1F))
            start += length
        }
    }

    private mutating func read(
        _ kind: Kind?, _ body: UnsafeRawBufferPointer, count: Int
    ) throws(PacketFault) {
        switch kind {
        case .senderReport:
            guard body.count >= 24 else { throw .bounds }
            sending = Sending(
                time: body.bigEndian(UInt64.self, at: 4),
                timestamp: body.bigEndian(UInt32.self, at: 12),
                packets: body.bigEndian(UInt32.self, at: 16),
                bytes: body.bigEndian(UInt32.self, at: 20))
            try readReports(body, from: 24, count)
        case .receiverReport: try readReports(body, from: 4, count)
        case .description: try readName(body, of: count)
        case .goodbye:
            guard 4 * count <= body.count else { throw .bounds }
            leaving += (0..<count).map { body.bigEndian(UInt32.self, at: 4 * $0) }
            leaving = Array(leaving.prefix(Self.mostReports))
        case .extendedReport: try readLosses(body)
        case nil: break
        }
    }

    /// Of an extended report's blocks those that say which packets came (RFC 3611, section 3).
    private mutating func readLosses(_ body: UnsafeRawBufferPointer) throws(PacketFault) {
        guard body.count >= 4 else { throw .bounds }
        var start = 4
        while start < body.count {
            guard start + 4 <= body.count else { throw .bounds }
            let end = start + 4 + 4 * Int(body.bigEndian(UInt16.self, at: start + 2))
            guard end <= body.count else { throw .bounds }
            if body[start] == 1, losses.count < Self.mostReports {
                losses.append(
                    try LossMap(
                        parsing: UnsafeRawBufferPointer(rebasing: body[start + 4..<end])))
            }
            start = end
        }
    }

    private mutating func readReports(
        _ body: UnsafeRawBufferPointer, from start: Int, _ count: Int
    ) throws(PacketFault) {
        guard start + 24 * count <= body.count else { throw .bounds }
        for index in 0..<min(count, Self.mostReports - reports.count) {
            let at = start + 24 * index
            var report = Report(source: body.bigEndian(UInt32.self, at: at))
            let losses = body.bigEndian(UInt32.self, at: at + 4)
            report.fractionLost = UInt8(clamping: losses >> 24)
            // 24 bits with a sign.
            report.lost = Int32(bitPattern: losses << 8) >> 8
            report.highestSequence = body.bigEndian(UInt32.self, at: at + 8)
            report.jitter = body.bigEndian(UInt32.self, at: at + 12)
            report.lastReport = body.bigEndian(UInt32.self, at: at + 16)
            report.sinceLastReport = body.bigEndian(UInt32.self, at: at + 20)
            reports.append(report)
        }
    }

    /// Of the sources that are described this one's name (section 6.5).
    private mutating func readName(
        _ body: UnsafeRawBufferPointer, of chunks: Int
    ) throws(PacketFault) {
        var index = 0
        for _ in 0..<chunks {
            guard index + 4 <= body.count else { throw .bounds }
            let described = body.bigEndian(UInt32.self, at: index)
            index += 4
            while index < body.count, body[index] != 0 {
                guard index + 2 <= body.count else { throw .bounds }
                let (kind, length) = (body[index], Int(body[index + 1]))
                guard index + 2 + length <= body.count else { throw .bounds }
                if kind == Self.canonicalName, described == source {
                    name = String(
                        decoding: body[index + 2..<index + 2 + length], as: UTF8.self)
                }
                index += 2 + length
            }
            // At least one zero ends a chunk, and as many as are needed to fill a word.
            guard index < body.count else { throw .bounds }
            index = (index / 4 + 1) * 4
        }
    }

    // MARK: Writing

    /// It as bytes: a report, a description, and goodbyes where there are any.
    public var bytes: [UInt8] {
        var body: [UInt8] = []
        body.append(bigEndian: source)
        if let sending {
            body.append(bigEndian: sending.time)
            body.append(bigEndian: sending.timestamp)
            body.append(bigEndian: sending.packets)
            body.append(bigEndian: sending.bytes)
        }
        for report in reports { body += Self.bytes(of: report) }
        let kind = sending == nil ? Kind.receiverReport : .senderReport
        var bytes = Self.packet(kind, count: reports.count, body)
        if !losses.isEmpty {
            var body: [UInt8] = []
            body.append(bigEndian: source)
            for map in losses { body += map.bytes }
            bytes += Self.packet(.extendedReport, count: 0, body)
        }
        if let name { bytes += Self.packet(.description, count: 1, description(of: name)) }
        if !leaving.isEmpty {
            let body = leaving.reduce(into: [UInt8]()) { $0.append(bigEndian: $1) }
            bytes += Self.packet(.goodbye, count: leaving.count, body)
        }
        return bytes
    }

    private static func bytes(of report: Report) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: report.source)
        let lost = UInt32(bitPattern: max(-0x80_0000, min(report.lost, 0x7F_FFFF))) & 0xFF_FFFF
        bytes.append(bigEndian: UInt32(report.fractionLost) << 24 | lost)
        bytes.append(bigEndian: report.highestSequence)
        bytes.append(bigEndian: report.jitter)
        bytes.append(bigEndian: report.lastReport)
        bytes.append(bigEndian: report.sinceLastReport)
        return bytes
    }

    private func description(of name: String) -> [UInt8] {
        let text = Array(name.utf8.prefix(255))
        var body: [UInt8] = []
        body.append(bigEndian: source)
        body += [Self.canonicalName, UInt8(clamping: text.count)] + text
        return body + [UInt8](repeating: 0, count: 4 - body.count % 4)
    }

    private static func packet(_ kind: Kind, count: Int, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | UInt8(clamping: count), kind.rawValue]
        bytes.append(bigEndian: UInt16(clamping: body.count / 4))
        return bytes + body
    }
}
