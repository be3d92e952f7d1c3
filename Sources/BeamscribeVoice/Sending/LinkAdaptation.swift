import BeamscribeCore

/// How a talker's packets arrive at one of those who hear him, in the last report's time.
public struct LinkQuality: Equatable, Sendable {
    /// The share of packets that were lost, 0 to 1.
    public var loss: Double
    /// The most that were lost in a row.
    public var longestRun: Int
    /// How much their times vary, in milliseconds.
    public var jitter: Double

    /// Nothing is wrong.
    public init(loss: Double = 0, longestRun: Int = 0, jitter: Double = 0) {
        (self.loss, self.longestRun, self.jitter) = (loss, longestRun, jitter)
    }
}

/// What a talker's packets are to be like, by how they arrive at those who hear him.
///
/// It is the worst of them that counts, but for the worst tenth: one phone in a lift is not to cost everybody
/// else. What helps comes at once, and what costs much once a second report asks for it, too: of a hundred packets,
/// chance alone loses three in a row or twenty in all now and then. It goes a step every 10 s in which nothing asked
/// for it.
public struct LinkAdaptation: Sendable {
    private static let patience: Duration = .seconds(10)
    /// Reports come every second; what is asked for later than that is asked for by another one.
    private static let nextReport: Duration = .milliseconds(1_500)

    private let usual: TalkShape
    private var redundancy = 0
    /// 0: as usual; 1: fewer bits; 2: fewer packets, too.
    private var thrift = 0
    private var isLong = false
    private var redundancyAskedFor: Duration = .zero
    private var thriftAskedFor: Duration = .zero
    private var lengthAskedFor: Duration = .zero
    private var lastThriftStep: Duration?
    /// When many in a row were lost for the first time in a while.
    private var firstLongRun: Duration?

    /// - Parameter usual: what packets are like where nothing is wrong.
    public init(usual: TalkShape) {
        self.usual = usual
    }

    /// What packets are to be like.
    public var shape: TalkShape {
        var shape = usual
        shape.redundancy = max(usual.redundancy, redundancy)
        if thrift > 0 { shape.bitrate = min(usual.bitrate, 24_000) }
        if thrift > 1 || isLong { shape.frame = max(usual.frame, 20) }
        return shape
    }

    /// Reports came, or time has passed.
    ///
    /// - Parameter qualities: of all who hear him.
    /// - Returns: whether ``shape`` is another.
    public mutating func update(_ qualities: [LinkQuality], now: Duration) -> Bool {
        let before = shape
        let redundancy = Self.worst(qualities.map { Double(Self.redundancy(for: $0)) })
        adaptRedundancy(Int(saturating: redundancy), now)
        adaptThrift(Self.worst(qualities.map(\.loss)), now)
        if Self.worst(qualities.map(\.jitter)) > 30 {
            (isLong, lengthAskedFor) = (true, now)
        } else if isLong, now - lengthAskedFor >= Self.patience {
            isLong = false
        }
        return shape != before
    }

    private mutating func adaptRedundancy(_ asked: Int, _ now: Duration) {
        let wanted = asked < Limits.redundancy || areRunsTheRule(now) ? asked : 2
        if wanted >= redundancy {
            (redundancy, redundancyAskedFor) = (wanted, now)
        } else if now - redundancyAskedFor >= Self.patience {
            redundancy = max(wanted, redundancy / 2)
            redundancyAskedFor = now
        }
    }

    /// Many were lost in a row: whether that was so before, a while ago.
    private mutating func areRunsTheRule(_ now: Duration) -> Bool {
        guard let first = firstLongRun, now - first <= Self.patience else {
            firstLongRun = now
            return false
        }
        return now - first >= Self.nextReport
    }

    private mutating func adaptThrift(_ loss: Double, _ now: Duration) {
        if loss >= 0.2 {
            thriftAskedFor = now
            // One step for each report: what it helps shows in the next.
            guard lastThriftStep.map({ now - $0 >= Self.nextReport }) ?? true else { return }
            thrift = min(2, thrift + 1)
            lastThriftStep = now
        } else if thrift > 0, now - thriftAskedFor >= Self.patience {
            thrift -= 1
            thriftAskedFor = now
        }
    }

    /// How many copies repair what is lost on a way.
    private static func redundancy(for quality: LinkQuality) -> Int {
        if quality.longestRun >= 3, quality.loss >= 0.005 { return 4 }
        if quality.loss >= 0.05 || quality.longestRun == 2 && quality.loss >= 0.005 { return 2 }
        return quality.loss >= 0.005 ? 1 : 0
    }

    /// The greatest but for the greatest tenth.
    private static func worst(_ values: [Double]) -> Double {
        values.sorted().dropLast(values.count / 10).last ?? 0
    }
}
