/// How one talker is heard.
public struct ListeningFigures: Equatable, Sendable {
    /// Packets that came in time.
    public var packets = 0
    /// Pieces that were lost and heard all the same, by a copy in a later packet.
    public var recovered = 0
    /// What was guessed because nothing was there, in samples of 48 kHz.
    public var concealed = 0
    /// What was heard in all, in samples of 48 kHz.
    public var heard = 0
    /// Packets that came too late to be heard.
    public var late = 0
    /// Packets that came twice.
    public var duplicates = 0
    /// How often a period of the voice was left out, to catch up.
    public var shortened = 0
    /// How often one was said twice, to wait.
    public var lengthened = 0
    /// How often speech was skipped, since it would have been heard too late.
    public var behind = 0
    /// Pieces that the decoder did not take.
    public var undecodable = 0
    /// What lies between the fastest packet and what is heard, in milliseconds.
    public var delay = 0.0
    /// What ``delay`` is to be, in milliseconds.
    public var target = 0.0

    /// Nothing was heard.
    public init() {}
}
