import BeamscribeCore
public import BeamscribeVoice
import CSpeexDSP

/// The resampler of libspeexdsp, mono.
public final class SpeexResampler: Resampler {
    private let state: OpaquePointer
    private let ratio: Double

    /// Of 0 to 10: beyond 5 nobody hears a difference with speech, and each step costs a millisecond.
    private static let quality: Int32 = 5

    /// - Parameters:
    ///   - rate: of what goes in, in samples a second.
    ///   - wanted: of what comes out.
    /// - Returns: nil where a rate is none, or there is no memory.
    public init?(from rate: Int, to wanted: Int) {
        var status: Int32 = 0
        guard rate > 0, wanted > 0,
            let state = speex_resampler_init(
                1, UInt32(clamping: rate), UInt32(clamping: wanted), Self.quality, &status)
        else { return nil }
        self.state = state
        ratio = Double(wanted) / Double(rate)
    }

    deinit { speex_resampler_destroy(state) }

    public func resample(_ input: UnsafeBufferPointer<Float>, appendingTo samples: inout [Float]) {
        var rest = input[...]
        while !rest.isEmpty {
            var taken = UInt32(clamping: rest.count)
            let room = Int(saturating: Double(rest.count) * ratio) + 64
            var made = UInt32(clamping: room)
            let output = [Float](unsafeUninitializedCapacity: room) { buffer, count in
                speex_resampler_process_float(
                    state, 0, UnsafeBufferPointer(rebasing: rest).baseAddress, &taken,
                    buffer.baseAddress, &made)
                count = Int(made)
            }
            samples += output
            guard taken > 0 || made > 0 else { return }
            rest = rest.dropFirst(Int(taken))
        }
    }
}
