/// The contract's times. A struct so that tests and simulations can shorten them together.
public struct Timing: Sendable, Equatable {
    /// From a connection to its handshake.
    public var handshakeTimeout: Duration = .seconds(10)
    /// How much later than sent a handshake may come: TCP repeats what got lost for about as long.
    public var handshakeLateness: Duration = .seconds(60)
    /// Without anything else to send, a sign of life after this and ``keepAliveJitter``.
    public var keepAliveInterval: Duration = .seconds(2)
    /// The random part of the interval, so that a room of guests does not answer in step.
    public var keepAliveJitter: ClosedRange<Duration> = .seconds(1) ... .seconds(2)
    /// After this without anything received, the other side is gone.
    public var silenceTimeout: Duration = .seconds(6)
    /// How often ``silenceTimeout`` is checked.
    public var checkInterval: Duration = .seconds(1)
    /// A guest that has stayed this long is stable (`--gate`).
    public var gate: Duration = .seconds(4)
    /// A guest that goes within this is counted unstable.
    public var unstableWithin: Duration = .seconds(5)
    /// A guest that takes nothing for this long, though there is something for it, is closed.
    public var stuckTimeout: Duration = .seconds(60)
    /// How long a connection that was told why it ends may take to read it.
    public var lingerTimeout: Duration = .seconds(5)
    /// A keep-alive goes out at least this often even between captions: the clocks need it.
    public var clockInterval: Duration = .seconds(15)
    /// Without input at the host for this long, though it is open, its operator is told: it may be
    /// that nobody speaks, and it may be that the recogniser hangs.
    public var quietAfter: Duration = .seconds(60)
    /// After this long everybody is told. Breaks of a minute are in every event, and whoever is told
    /// of each believes none; what hangs for ten has been seen by the operator or by nobody. Nil where
    /// the input is somebody's typing.
    public var stalledAfter: Duration? = .seconds(600)
    /// A guest that is back sooner than this need not tell its reader that it was away.
    public var lossTold: Duration = .seconds(3)
    /// How long what was written may wait for the disk. With the time that the disk itself takes
    /// a loss of power costs a second at most.
    public var synchronizeAfter: Duration = .milliseconds(700)
    /// How often a log that could not be written is tried again.
    public var storageRetry: Duration = .seconds(1)
    /// How often the battery is looked at.
    public var batteryInterval: Duration = .seconds(20)
    /// How often the writer of a signed log says how it stands.
    public var headInterval: Duration = .seconds(4)
    /// The same once nothing was said for ``headsSlowAfter``.
    public var slowHeadInterval: Duration = .seconds(16)
    /// Without input for this long, nobody needs to know as often that the writer is there.
    public var headsSlowAfter: Duration = .seconds(300)
    /// Without input at the host for this long, the guest's state is silent.
    public var silentAfter: Duration = .seconds(10)

    /// The contract's times.
    public init() {}

    /// How long until the next head of a log whose input was heard so long ago.
    func headPause(inputAge: Duration) -> Duration {
        inputAge >= headsSlowAfter ? slowHeadInterval : headInterval
    }

    /// How long to send nothing before a sign of life.
    func keepAlivePause(using generator: inout some RandomNumberGenerator) -> Duration {
        let low = keepAliveJitter.lowerBound.seconds
        let high = keepAliveJitter.upperBound.seconds
        let random = low < high ? Double.random(in: low...high, using: &generator) : low
        return keepAliveInterval + .seconds(saturating: random)
    }
}
