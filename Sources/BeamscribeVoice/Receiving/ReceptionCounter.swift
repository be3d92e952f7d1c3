import BeamscribeCore

/// How the packets of one source arrive: what is lost, and how much their times vary (RFC 3550, appendices
/// A.1, A.3 and A.8).
///
/// Between talks nothing is sent, and nothing is missing, as sequence numbers go on.
///
/// Invariant: `base <= highest`.
public struct ReceptionCounter: Sendable {
    /// What arrived, and what should have.
    private struct Interval {
        var expected = 0
        var received = 0
    }
    private var base: UInt32?
    private var highest: UInt32 = 0
    private var received = 0
    private var reported = Interval()
    private var transit: Double?
    /// How much transit varies, in samples of 48 kHz.
    public private(set) var jitter = 0.0
    /// Whether each of the newest packets came, by its sequence number.
    private var arrivals = [Bool](repeating: false, count: LossMap.most)
    /// The number from which on nothing was told of single packets.
    private var untold: UInt32 = 0
    /// As many of the newest may have been overtaken only, and are told of the next time.
    private static let patience: UInt32 = 3

    /// Nothing has come.
    public init() {}

    /// Packets that should have come so far.
    public var expected: Int { base.map { Int(highest &- $0) + 1 } ?? 0 }

    /// Packets that did not come; less than none where some came twice.
    public var lost: Int { expected - received }

    /// A packet came.
    ///
    /// - Parameter transit: its arrival less its timestamp, in samples; nil where that says nothing of the
    ///   network.
    /// - Returns: whether it fits; where it does not, the source has to be taken for another.
    public mutating func arrived(sequence: UInt16, transit: Double?) -> Bool {
        guard base != nil else {
            // Room below, for what was overtaken by the first.
            highest = 1 << 16 | UInt32(sequence)
            (base, untold) = (highest, highest)
            received = 1
            arrivals[Int(highest) % LossMap.most] = true
            self.transit = transit
            return true
        }
        let ahead = Int(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
        guard abs(ahead) <= Limits.sequenceLeap else { return false }
        received += 1
        if ahead > 0 {
            for step in 1...min(ahead, LossMap.most) {
                arrivals[(Int(highest) + step) % LossMap.most] = false
            }
            highest &+= UInt32(clamping: ahead)
        }
        if -ahead < LossMap.most {
            arrivals[(Int(highest) + min(ahead, 0)) % LossMap.most] = true
        }
        vary(transit)
        return true
    }

    /// Begins anew: the source's numbers have leapt.
    public mutating func reset() {
        self = ReceptionCounter()
    }

    private mutating func vary(_ next: Double?) {
        if let next, let transit { jitter += (abs(next - transit) - jitter) / 16 }
        transit = next
    }

    /// Which packets came since this was asked last; nil where nothing is to be told.
    public mutating func losses(of source: UInt32) -> LossMap? {
        guard base != nil, highest >= untold &+ Self.patience else { return nil }
        let end = highest &- Self.patience &+ 1
        let start = max(untold, end &- min(end, UInt32(clamping: LossMap.most) &- Self.patience))
        untold = end
        guard start < end else { return nil }
        return LossMap(
            source: source, first: UInt16(truncatingIfNeeded: start),
            received: (start..<end).map { arrivals[Int($0) % LossMap.most] })
    }

    /// What is told of it: since the last report, and in all.
    public mutating func report(of source: UInt32) -> RTCPPacket.Report {
        let now = Interval(expected: expected, received: received)
        let (expected, came) = (
            now.expected - reported.expected, now.received - reported.received
        )
        reported = now
        var report = RTCPPacket.Report(source: source)
        if expected > 0, came < expected {
            report.fractionLost = UInt8(clamping: min(255, 256 * (expected - came) / expected))
        }
        report.lost = Int32(clamping: lost)
        report.highestSequence = highest
        report.jitter = UInt32(saturating: min(jitter, Double(UInt32.max)))
        return report
    }
}
