import BeamscribeCore

/// The line that the text input is writing.
///
/// Invariant: after ``takePieces()`` `text` takes at most `Limits.lineBytes` bytes. It is as it was
/// written: whether a direction has its end shows only when the line is there. What comes out is
/// safe to show.
struct OpenLine {
    private var text = ""
    /// A rewritten line is padded with blanks that mean nothing, and so is the rest of a line that
    /// was cut; the blanks at the beginning of a plain line are the writer's own.
    private var trimsStart = false
    /// A carriage return was the last thing that moved the cursor.
    private var isAtStart = false

    /// Whether nothing has been written to the line, nor done to it.
    var isFresh: Bool { text.isEmpty && !trimsStart && !isAtStart }

    /// The text as a reader should see it now; where that is more than a line's limit, the newest
    /// words.
    var visible: String { pieces(of: text).last ?? "" }

    /// Adds text. After a carriage return it replaces what was there: recognisers pad or erase the
    /// old text, and of one that does neither the rest would be left standing.
    mutating func append(_ more: String) {
        guard !more.isEmpty else { return }
        if isAtStart { erase() }
        text += more
    }

    mutating func carriageReturn() {
        isAtStart = true
    }

    mutating func erase() {
        text.removeAll(keepingCapacity: true)
        trimsStart = true
        isAtStart = false
    }

    /// Erases from the cursor to the end, where a carriage return put it at the start; otherwise
    /// the cursor is at the end and there is nothing behind it.
    mutating func eraseToEnd() {
        if isAtStart { erase() }
    }

    mutating func backspace() {
        guard !isAtStart, !text.isEmpty else { return }
        text.removeLast()
    }

    /// Takes off what is over the limit, in pieces from the front.
    mutating func takePieces() -> [String] {
        guard text.utf8.count > Limits.lineBytes else { return [] }
        var rest = Substring(text)
        var pieces: [String] = []
        while let piece = LineText.cutPiece(from: &rest) {
            pieces += self.pieces(of: String(piece))
            trimsStart = true
        }
        text = String(rest)
        return pieces
    }

    /// Ends the line and gives its text: nothing, or a piece, or more if it has become longer than
    /// the limit by what was made visible.
    mutating func end() -> [String] {
        defer { self = OpenLine() }
        return pieces(of: text)
    }

    private func pieces(of text: String) -> [String] {
        text.isEmpty ? [] : LineText.pieces(of: text, trimmingStart: trimsStart)
    }
}
