import BeamscribeCore

/// What makes sound of packets. It remembers what it has decoded, so that packets must come to it in order, and each talker has his own.
///
/// Sound is mono, 48 kHz, samples from -1 to 1.
public protocol AudioDecoder: AnyObject {
    /// Appends what a packet holds. Whether it could be decoded; nothing is appended where not.
    func decode(_ packet: [UInt8], appendingTo samples: inout [Float]) -> Bool

    /// Appends a guess at what was said where a packet is missing.
    ///
    /// - Parameter count: in samples; a multiple of 120, at most 5,760.
    func conceal(_ count: Int, appendingTo samples: inout [Float])

    /// A new talk begins: nothing that was heard has to do with it.
    func reset()
}
