/// All that a caption shows in one text, with the role that each part has. What stands before a
/// word decides where it stands, so that a word stays where it is for as long as that is the same.
struct ReaderText {
    /// What a part of a caption is.
    enum Role: Equatable {
        case time
        /// A speaker's name, with the speaker's number.
        case name(Int)
        case words
        /// Words that can still change.
        case unsettled
        /// What the program adds.
        case remark
    }

    /// A part: up to `end`, an offset in the text's UTF-8.
    struct Part: Equatable {
        var end: Int
        var role: Role
    }

    private(set) var text = ""
    private(set) var parts: [Part] = []
    /// Where the caption's own words begin, as an offset in the text's UTF-8.
    private(set) var wordsStart = 0
    /// The end of an open line's settled words, as such an offset; nil for a final one.
    private(set) var settledEnd: Int?

    /// - Parameters:
    ///   - settledEnd: where the settled words of an open line end; nil for a final one.
    ///   - time: what stands first; nil for nothing.
    init(_ block: ReaderBlock, speakers: [String], settledEnd: Int?, time: String?) {
        if let time { add(time + " ", .time) }
        let name = block.speaker.map { (number: $0, text: speakers[$0]) }
        let isNamedLast = block.marks.contains(.namesSpeakerLast)
        if let name, !isNamedLast {
            add(name.text + ":", .name(name.number))
            if !block.text.isEmpty { add(" ", .words) }
        }
        wordsStart = text.utf8.count
        addWords(block.text, settledEnd)
        if let name, isNamedLast {
            add(" ", .words)
            add("(\(name.text))", .name(name.number))
        }
        if block.marks.contains(.isUnsaid) {
            add(block.text.isEmpty && text.isEmpty ? "(withdrawn)" : " (withdrawn)", .remark)
        } else if block.marks.contains(.isCorrected) {
            add(" (corrected)", .remark)
        }
        if block.marks.contains(.isWithdrawn) { add(" (withdrawn)", .remark) }
    }

    private mutating func addWords(_ words: String, _ settledEnd: Int?) {
        guard let settledEnd else { return add(words, .words) }
        let settled = words.utf8.index(words.startIndex, offsetBy: settledEnd)
        add(String(words[..<settled]), .words)
        self.settledEnd = text.utf8.count
        add(String(words[settled...]), .unsettled)
    }

    private mutating func add(_ part: String, _ role: Role) {
        text += ComposedText.line(part)
        parts.append(Part(end: text.utf8.count, role: role))
    }
}
