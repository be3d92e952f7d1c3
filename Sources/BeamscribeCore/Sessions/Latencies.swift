/// How late lines reach a guest: half of them are faster than the one, 95 of 100 than the other.
public struct LatencyPercentiles: Equatable, Sendable {
    /// The median, in seconds.
    public var p50: Double
    /// The 95th percentile, in seconds.
    public var p95: Double
}

/// The latencies of a guest's last live lines.
///
/// Invariant: holds the newest ``Limits/latencySamples`` at most.
struct Latencies {
    private var samples: [Double] = []
    private var oldest = 0

    /// A line took this long, in seconds.
    mutating func add(_ latency: Double) {
        guard latency.isFinite else { return }
        if samples.count < Limits.latencySamples {
            samples.append(latency)
        } else {
            samples[oldest] = latency
            oldest = (oldest + 1) % samples.count
        }
    }

    /// Nil before the first line. By nearest rank: every figure is one that was measured.
    var percentiles: LatencyPercentiles? {
        guard !samples.isEmpty else { return nil }
        let sorted = samples.sorted()
        func percentile(_ share: Double) -> Double {
            sorted[max(0, Int(saturating: (share * Double(sorted.count)).rounded(.up)) - 1)]
        }
        return LatencyPercentiles(p50: percentile(0.5), p95: percentile(0.95))
    }
}
