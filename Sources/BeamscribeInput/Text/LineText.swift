import BeamscribeCore

/// The rules for the text of a line: how it is trimmed, and where it is cut when it is too long.
enum LineText {
    /// How far back from the limit a cut looks for the edge of a character. What a person sees as
    /// one character takes 40 bytes at most in practice; a longer one is cut in two.
    private static let characterSearch = 64

    /// `text` without white space at its end and, where `start` says so, at its beginning.
    static func trimmed(_ text: Substring, start: Bool) -> Substring {
        let scalars = text.unicodeScalars
        guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
        let first = start ? scalars.firstIndex { !isSpace($0) } : nil
        return text[(first ?? text.startIndex)..<scalars.index(after: last)]
    }

    /// `text` made safe to show, in trimmed pieces of at most `Limits.lineBytes` bytes, none of
    /// them empty. A direction that a cut separates from its end becomes visible in both pieces.
    ///
    /// - Parameter start: whether the first piece is trimmed at its beginning, as the others are.
    static func pieces(of text: String, trimmingStart start: Bool = false) -> [String] {
        let text = SafeText.line(text)
        guard text.utf8.count > Limits.lineBytes else {
            let piece = String(trimmed(Substring(text), start: start))
            return piece.isEmpty ? [] : [piece]
        }
        var rest = Substring(text)
        var pieces: [String] = []
        var trimsStart = start
        // A piece that becomes longer by what becomes visible in it is cut again; with each time
        // there are fewer directions in it.
        while let piece = cutPiece(from: &rest) {
            pieces += self.pieces(of: String(piece), trimmingStart: trimsStart)
            trimsStart = true
        }
        return pieces + self.pieces(of: String(rest), trimmingStart: trimsStart)
    }

    /// Takes the first piece off a `text` that is too long; nil where it is not. The cut depends
    /// on nothing behind the first character over the limit, so that text which arrives in pieces
    /// is cut where the whole text would be.
    static func cutPiece(from text: inout Substring) -> Substring? {
        let bytes = text.utf8
        guard bytes.count > Limits.lineBytes else { return nil }
        let limit = bytes.index(bytes.startIndex, offsetBy: Limits.lineBytes)
        if let space = bytes[...limit].lastIndex(of: 0x20) {
            defer { text = text[bytes.index(after: space)...] }
            return text[..<space]
        }
        let cut = characterEdge(of: text, before: limit)
        defer { text = text[cut...] }
        return text[..<cut]
    }

    private static func characterEdge(
        of text: Substring, before limit: String.Index
    ) -> String.Index {
        var index = limit
        var scalarEdge: String.Index?
        for _ in 0..<characterSearch {
            let startsScalar = text.utf8[index] & 0xC0 != 0x80
            if startsScalar, String.Index(index, within: text) != nil { return index }
            if startsScalar, scalarEdge == nil { scalarEdge = index }
            index = text.utf8.index(before: index)
        }
        return scalarEdge ?? limit
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " : scalar.properties.isWhitespace
    }
}
