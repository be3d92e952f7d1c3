import BeamscribeCore

/// How a talk is cut and coded.
public struct TalkShape: Equatable, Sendable {
    /// A frame's length, in milliseconds: 5, 10 or 20.
    public var frame: Int
    /// What is coded, in bits a second, at one rate as long as a talk's shape does not change.
    public var bitrate: Int
    /// How many frames before it each packet has copies of.
    public var redundancy: Int

    /// The lengths that a frame may have, in milliseconds.
    public static let frames = [5, 10, 20]
    /// The rates that may be asked for, in bits a second.
    public static let bitrates = 6_000...128_000

    /// A shape.
    public init(frame: Int, bitrate: Int, redundancy: Int = 0) {
        (self.frame, self.bitrate, self.redundancy) = (frame, bitrate, redundancy)
    }

    /// What a host asks for where nothing is wrong.
    public static let usual = TalkShape(frame: 10, bitrate: 40_000)

    /// It, and what a host asks for besides: to ask for what is usual is to ask for nothing.
    package func following(_ wish: TalkShape) -> TalkShape {
        TalkShape(
            frame: wish.frame == Self.usual.frame ? frame : max(frame, wish.frame),
            bitrate: wish.bitrate >= Self.usual.bitrate ? bitrate : min(bitrate, wish.bitrate),
            redundancy: wish.redundancy)
    }

    /// It, as far as it may be: what was asked for by somebody else.
    public var clamped: TalkShape {
        TalkShape(
            frame: Self.frames.contains(frame) ? frame : 10,
            bitrate: min(max(bitrate, Self.bitrates.lowerBound), Self.bitrates.upperBound),
            redundancy: min(max(redundancy, 0), Limits.redundancy))
    }

    /// A frame's length, in samples of 48 kHz.
    package var samples: Int { frame * OpusPacket.clock / 1_000 }
}
