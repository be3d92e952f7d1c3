import BeamscribeCore

/// Sound that was decoded and not heard yet, behind a piece of what was: where it is made shorter or longer, a
/// period of the voice at a time.
///
/// Invariant: there are `past` samples before the first that is to be heard.
struct PlayoutSamples {
    /// As much of what was heard as a period can be taken from.
    private static let past = PitchMatch.longest + PitchMatch.window
    private var samples = [Float](repeating: 0, count: past)

    /// How many wait to be heard.
    var count: Int { samples.count - Self.past }

    /// Whether nothing would be heard of a cut.
    var isQuiet: Bool {
        count >= PitchMatch.window
            && samples.withUnsafeBufferPointer { PitchMatch.isQuiet($0, from: Self.past) }
    }

    /// Appends what `body` appends.
    mutating func append(_ body: (inout [Float]) -> Void) {
        body(&samples)
    }

    /// Makes what was appended last quieter, from one gain to another.
    ///
    /// - Parameter count: how many samples of it.
    mutating func fadeLast(_ count: Int, from first: Float, to last: Float) {
        let start = samples.count - count
        for index in 0..<count {
            samples[start + index] *= first + (last - first) * Float(index) / Float(count)
        }
    }

    /// Takes what is to be heard next. So much must be there.
    mutating func take(into buffer: UnsafeMutableBufferPointer<Float>) {
        for index in buffer.indices { buffer[index] = samples[Self.past + index] }
        samples.removeFirst(buffer.count)
    }

    /// Forgets everything, the past too.
    mutating func clear() {
        samples = [Float](repeating: 0, count: Self.past)
    }

    /// Forgets what waits to be heard.
    mutating func clearWaiting() {
        samples.removeLast(count)
    }

    /// Leaves a period out; how long it was, or nil where nothing repeats itself enough.
    ///
    /// - Parameters:
    ///   - leaving: how much has to be left.
    ///   - most: how much may be left out.
    mutating func shorten(likeness: Float, leaving: Int, most: Int) -> Int? {
        let most = min(
            most, PitchMatch.longest, count - PitchMatch.window - PitchMatch.window,
            count - leaving)
        let start = Self.past
        guard
            let match = samples.withUnsafeBufferPointer({
                PitchMatch.best(in: $0, at: start, direction: 1, most: most)
            }), match.likeness > likeness
        else { return nil }
        for index in 0..<PitchMatch.window {
            let share = Float(index) / Float(PitchMatch.window)
            samples[start + index] =
                samples[start + index] * (1 - share) + samples[start + index + match.lag] * share
        }
        samples.removeSubrange(
            start + PitchMatch.window..<start + PitchMatch.window + match.lag)
        return match.lag
    }

    /// Says a period twice; how long it was, or nil where nothing repeats itself enough.
    mutating func lengthen(likeness: Float) -> Int? {
        guard count >= PitchMatch.window else { return nil }
        let start = Self.past
        guard
            let match = samples.withUnsafeBufferPointer({
                PitchMatch.best(in: $0, at: start, direction: -1, most: PitchMatch.longest)
            }), match.likeness > likeness
        else { return nil }
        let fade = min(match.lag, PitchMatch.window)
        let added = (0..<match.lag).map { index in
            let share = index < fade ? Float(index) / Float(fade) : 1
            let going = index < count ? samples[start + index] : 0
            return going * (1 - share) + samples[start + index - match.lag] * share
        }
        samples.insert(contentsOf: added, at: start)
        return match.lag
    }
}
