import BeamscribeCore

/// What a key in a ``CaptionEditor`` asks for.
public enum EditorAction: Equatable, Sendable {
    /// Readers may see this much of the line that is being typed; nothing takes it back.
    case partial(text: String, speaker: String?)
    /// The line is done.
    case final(text: String, speaker: String?)
    /// These lines are to be said anew.
    case corrections([Correction])
    /// There is nothing more to be typed (Ctrl-D on an empty line).
    case end

    /// How a line is to be said.
    public struct Correction: Equatable, Sendable {
        public var seq: Int
        /// The line's log, where that is another than the main one.
        public var log: String?
        /// Empty where the line is withdrawn.
        public var text: String
        /// Nil for whoever spoke before.
        public var speaker: String?

        public init(seq: Int, text: String, speaker: String? = nil) {
            (self.seq, self.text, self.speaker) = (seq, text, speaker)
        }

        /// A line is to have this text.
        init(of line: RecentLines.Line, to text: String, speaker: String? = nil) {
            self.init(seq: line.seq, text: text, speaker: speaker)
            log = line.log
        }
    }
}
