/// Makes sound of one rate of sound of another. What it is in the middle of it keeps.
public protocol Resampler: AnyObject {
    /// Adds to `samples` what comes out for what goes in.
    func resample(_ input: UnsafeBufferPointer<Float>, appendingTo samples: inout [Float])
}
