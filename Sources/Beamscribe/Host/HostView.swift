public import BeamscribeCore
import BeamscribeInput

/// How an event stands at one moment, for its operator.
public struct HostView: Equatable, Sendable {
    /// The newest lines as readers see them, the oldest first.
    public var lines: [RecentLines.Line]
    /// What readers see of lines that can still change.
    public var open: [PartialLine]
    /// How many lines there are, as readers count them: corrections go with what they correct.
    public var lineCount: Int
    /// The number of the newest line; 0 for none.
    public var lastSeq = 0
    /// How many guests there are, by how far they are.
    public var counts: GuestCounts
    /// How each of them fares; empty where that was not asked for.
    public var guests: [GuestReport] = []
    /// Browsers that read the captions; nil where there is no page.
    public var phones: Int?
    /// The other nodes of a mesh; nil where this is none.
    public var peers: [MeshPeer]?
    /// What others of a mesh are saying, as lines for people.
    public var openOfOthers: [String] = []
    /// What gets out.
    public var gate: InputGate
    /// Whether it is this host's turn to caption, and not that of another who stands in for it, or for whom
    /// it does.
    public var isOnAir = true
    /// How long ago the last input came; nil before the first, and once it has ended.
    public var inputAge: Duration?
    /// Nothing more comes in.
    public var isInputOver = false
    /// The event has ended, and the host is there for late readers.
    public var isEventOver = false
    /// The disk does not take the transcript.
    public var isUnsaved = false
    /// Lines in the last minute.
    public var linesPerMinute = 0
    /// Words in the last minute.
    public var wordsPerMinute = 0
    /// Typed lines that wait for the event to go on.
    public var waitingLines = 0
}
