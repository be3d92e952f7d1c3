import BeamscribeCore

/// What a host hears itself of a channel that is captioned.
public enum HeardVoice<ID: Equatable>: Equatable {
    /// A packet of RTP, opened, of somebody with a name, and when it came.
    case packet([UInt8], of: ID, named: String, on: String, at: Duration)
    /// A talk has ended with the packet of this time.
    case talkEnded(of: ID, at: UInt32)
    /// Somebody talks there no more.
    case gone(ID)
}

extension HeardVoice: Sendable where ID: Sendable {}
