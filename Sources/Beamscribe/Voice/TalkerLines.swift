import BeamscribeCore
import BeamscribeInput

/// Makes of what a program has heard of one talker what is said in a log: it is his, whatever the program calls him, and has
/// lines of its own among those of others who talk at the same time.
///
/// Invariant: `open` is the line that the program has begun without an id of its own.
struct TalkerLines {
    /// For people, safe to show.
    let speaker: String
    /// Before the ids of all of his lines.
    private let prefix: String
    private var open: String?
    private var count = 0

    /// - Parameters:
    ///   - run: of the event: ids of its lines never come again.
    ///   - number: of all who have talked in that run.
    init(of speaker: String, run: Int, number: Int) {
        (self.speaker, prefix) = (speaker, "voice-\(run)-\(number)")
    }

    /// The same as this talker's words; what would be about lines of the log that he cannot know is left out.
    mutating func own(_ event: InputEvent) -> InputEvent {
        switch event {
        case .final(let caption):
            let own = own(caption)
            if caption.line == nil { open = nil }
            return .final(own)
        case .correction(let caption): return .correction(own(caption))
        case .partial(let caption): return .partial(own(caption))
        case .warning(let text): return .warning("\(speaker): \(text)")
        }
    }

    private mutating func own(_ caption: Caption) -> Caption {
        var caption = caption
        (caption.speaker, caption.replaces, caption.of) = (speaker, nil, nil)
        let line = caption.line.map { SafeText.label("\(prefix)-\($0)", bytes: Limits.labelBytes) }
        caption.line = line ?? openLine()
        return caption
    }

    private mutating func openLine() -> String {
        if let open { return open }
        count += 1
        let line = "\(prefix).\(count)"
        open = line
        return line
    }
}
