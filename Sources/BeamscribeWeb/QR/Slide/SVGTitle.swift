import BeamscribeCore

/// A drawing's title (W3C, SVG 1.1, section 5.4), which screen readers say.
enum SVGTitle {
    /// `drawing` with a title as the first thing in it.
    static func inserted(_ title: String, into drawing: [UInt8]) -> [UInt8] {
        let element = "\n<title>" + escaped(title) + "</title>"
        guard let start = drawing.firstRange(of: Array("<svg ".utf8))?.upperBound,
            let end = drawing[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return drawing }
        return drawing[...end] + Array(element.utf8) + drawing[(end + 1)...]
    }

    /// Text as it stands between the tags of an XML document. By scalars: with a combining
    /// character behind it a sign is another `Character`, and still markup.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
