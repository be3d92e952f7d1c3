import BeamscribeCore

/// How late packets come, and how long to wait for them therefore.
///
/// A packet's *transit* is its arrival by the listener's clock less its timestamp by the talker's: a number that
/// means nothing but beside others. How late a packet is, is its transit over the least of the last 4 s, which
/// follows clocks that differ. ``target`` is what all but 2 in 100 keep within, newer ones counting more; a
/// packet that is later than that raises it at once, for a radio that was away once will be again.
///
/// All times are in milliseconds.
public struct DelayEstimate: Sendable {
    private static let bucket = 2.5
    private static let forgetting = 0.996
    private static let quantile = 0.98
    /// A peak that was seen once comes down by 5 ms in a second.
    private static let descent = 0.005
    private static let slice = 500.0
    private static let beginning = 300.0

    private var histogram = [Double](repeating: 0, count: 120)
    private var sum = 0.0
    /// The least transit of each half second, the newest first.
    private var leasts: [Double] = []
    private var sliceBegan = 0.0
    private var peak = 0.0
    private var lastArrival = 0.0
    private var talkBegan = -Double.infinity

    /// How long what comes is to wait, counted from the least transit, before limits and repairs.
    public private(set) var target = 10.0

    /// Nothing has come.
    public init() {}

    /// The least transit of the last 4 s; nil before anything has come.
    public var least: Double? { leasts.min() }

    /// A talk begins: what was known of delays still holds, but of clocks nothing after a long pause.
    ///
    /// - Parameter now: by the listener's clock.
    public mutating func beginTalk(now: Double) {
        if now - lastArrival > 2_000 { leasts = [] }
        talkBegan = now
    }

    /// The listener was not there for a while: what arrived since says nothing about the network.
    public mutating func forgetArrivals() {
        leasts = []
        peak = 0
    }

    /// A packet came.
    ///
    /// - Parameters:
    ///   - transit: its arrival less its timestamp.
    ///   - now: its arrival, by the listener's clock.
    public mutating func arrived(transit: Double, now: Double) {
        let elapsed = max(0, now - lastArrival)
        lastArrival = now
        if leasts.isEmpty {
            leasts = [transit]
            sliceBegan = now
        } else if now - sliceBegan > Self.slice {
            leasts.insert(transit, at: 0)
            if leasts.count > 8 { leasts.removeLast() }
            sliceBegan = now
        } else {
            leasts[0] = min(leasts[0], transit)
        }
        let late = transit - (least ?? transit)
        count(late)
        peak -= Self.descent * elapsed
        // The first packets of a talk waited for the talker's own machinery.
        if now - talkBegan >= Self.beginning {
            peak = max(peak, min(late + Self.bucket, Limits.longestPlayoutDelay))
        }
        target = max(likely, peak)
    }

    private mutating func count(_ late: Double) {
        let index = min(max(0, Int(saturating: late / Self.bucket)), histogram.count - 1)
        for other in histogram.indices { histogram[other] *= Self.forgetting }
        histogram[index] += 1 - Self.forgetting
        sum = sum * Self.forgetting + 1 - Self.forgetting
    }

    /// What all but 2 in 100 keep within, rounded up to a whole bucket.
    private var likely: Double {
        var seen = 0.0
        for (index, share) in histogram.enumerated() {
            seen += share
            if seen >= Self.quantile * sum { return Double(index + 1) * Self.bucket }
        }
        return Double(histogram.count) * Self.bucket
    }
}
