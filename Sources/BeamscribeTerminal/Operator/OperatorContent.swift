public import BeamscribeCore

/// What a host's operator is shown below the log.
public struct OperatorContent: Equatable, Sendable {
    /// The line that is being typed.
    public struct Editor: Equatable, Sendable {
        /// Who speaks, or which line is corrected; may be empty.
        public var prompt: String
        public var line: EditableText
        /// The number of the line that is corrected.
        public var correcting: Int?

        public init(prompt: String, line: EditableText, correcting: Int? = nil) {
            self.prompt = prompt
            self.line = line
            self.correcting = correcting
        }
    }

    /// What readers see: the newest finals, the oldest first.
    public var lines: [RecentLines.Line] = []
    /// What readers see of lines that can still change.
    public var open: [String] = []
    /// The line that is being typed; nil where nothing is.
    public var editor: Editor?
    /// A table that takes the place of what readers see: a heading, and its rows. Nil for none.
    public var table: [String]?
    /// Rows that are drawn already and take the place of all but the status; empty for none.
    public var picture: [String] = []
    /// What the last key did, or asks.
    public var note = ""
    /// The keys, where there is room.
    public var hint = ""
    /// How things stand, what must be seen of it.
    public var status = ""
    /// The rest of it, at length and ever shorter: the first that there is room for is shown.
    public var details: [String] = []

    public init() {}
}
