import BeamscribeCore

/// What makes packets of sound. It remembers what it has coded; each talker has one.
///
/// Sound is mono, 48 kHz, samples from -1 to 1. All packets of one shape are of one length: the lengths of others
/// would tell what is said (RFC 6562).
public protocol AudioEncoder: AnyObject {
    /// Codes a frame: 5, 10 or 20 ms. Nil where that failed.
    ///
    /// - Parameter bitrate: in bits a second.
    func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]?

    /// A new talk begins.
    func reset()
}
