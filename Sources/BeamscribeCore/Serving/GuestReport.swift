/// How a guest fares, for the operator.
public struct GuestReport: Equatable, Sendable {
    /// Who it is.
    public var guest: GuestDescription
    /// Where it is.
    public var state: State
    /// Lines that it had not taken in when it last said how far it is.
    public var lagLines: Int
    /// How old the oldest of those lines is, in seconds; 0 when there is none.
    public var lagSeconds: Double
    /// How late lines reach it; nil while it has not said.
    public var latency: LatencyPercentiles?
    /// How often this device came and went within ``Timing/unstableWithin``.
    public var unstable: Int

    /// A guest's way through the traffic gate.
    public enum State: String, Sendable {
        /// Its handshake is not done.
        case connecting
        /// It is accepted, and gets what was said before.
        case syncing
        /// It has joined.
        case stable
        /// It is being said goodbye to.
        case leaving
    }
}

extension GuestReport.State {
    /// Nil for somebody who was refused.
    init?(_ phase: RoomGuest.Phase) {
        switch phase {
        case .connecting: self = .connecting
        case .syncing: self = .syncing
        case .stable: self = .stable
        case .leaving: self = .leaving
        case .refused: return nil
        }
    }
}
