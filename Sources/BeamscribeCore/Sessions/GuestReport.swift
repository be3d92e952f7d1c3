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

    /// What is known of a guest.
    public init(
        guest: GuestDescription, state: State, lagLines: Int, lagSeconds: Double,
        latency: LatencyPercentiles?, unstable: Int
    ) {
        self.guest = guest
        self.state = state
        self.lagLines = lagLines
        self.lagSeconds = lagSeconds
        self.latency = latency
        self.unstable = unstable
    }

    /// A guest's way through the traffic gate.
    public enum State: String, Sendable {
        case connecting, syncing, stable, leaving
    }
}

extension HostSession {
    /// How many lines the guest had not taken in that is farthest behind, when it last said so.
    public var greatestLag: Int { guests.values.reduce(0) { max($0, $1.isAccepted ? $1.lag : 0) } }

    /// How each guest fares, by name.
    public func guestReports(now: Moment) -> [GuestReport] {
        guests.values.compactMap { report(on: $0, now: now) }
            .sorted { ($0.guest.name, $0.guest.peer) < ($1.guest.name, $1.guest.peer) }
    }

    private func report(on guest: HostGuest, now: Moment) -> GuestReport? {
        let state: GuestReport.State
        switch guest.phase {
        case .connecting: state = .connecting
        case .syncing: state = .syncing
        case .stable: state = .stable
        case .leaving: state = .leaving
        case .refused: return nil
        }
        let isIn = state != .connecting
        return GuestReport(
            guest: guest.description, state: state, lagLines: isIn ? guest.lag : 0,
            lagSeconds: isIn && guest.lag > 0 ? age(of: guest.applied + 1, now: now) : 0,
            latency: guest.latency, unstable: unstable[guest.deviceID])
    }

    /// How long ago line `seq` came, in seconds; 0 for one that is gone from memory.
    private func age(of seq: Int, now: Moment) -> Double {
        let frame = transcript.bytes(at: transcript.cursor(before: seq))
        guard frame.count > FrameDecoder.prefixLength else { return 0 }
        let length = Int(UInt32(bigEndian: frame.loadUnaligned(as: UInt32.self)))
        let payload = UnsafeRawBufferPointer(
            rebasing: frame[FrameDecoder.prefixLength..<(FrameDecoder.prefixLength + length)])
        guard case .liveChunk(let chunk)? = try? packets.packet(payload) else { return 0 }
        return max(0, now.wall - chunk.sentTimestamp)
    }
}
