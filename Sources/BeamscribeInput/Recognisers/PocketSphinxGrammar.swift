import BeamscribeCore
import FoundationEssentials

/// What PocketSphinx prints: finals only.
///
/// Version 5 writes an object a line, without escaping the quotes in its text:
///
///     {"b":0.12,"d":1.4,"p":0.93,"t":"go forward","w":[...]}
///
/// `b` is when it begins and `d` how long it is, in seconds. The older program writes a line of
/// text, in some versions with a number: `000000001: go forward`.
struct PocketSphinxGrammar: LineGrammar {
    /// What the older program says of itself.
    static let states = ["READY....", "Listening...", "Stopped listening, please wait..."]

    private struct Utterance: Decodable {
        var b: Double?
        var d: Double?
        var t: String
    }

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        let text = LineText.trimmed(line.text[...], start: true)
        if text.hasPrefix("{") {
            takeObject(String(text), line.number, into: &output)
        } else if !text.isEmpty, !Self.states.contains(String(text)) {
            output.final(Caption(text: Self.words(text.dropFirst(Self.isNumbered(text) ? 11 : 0))))
        }
    }

    private func takeObject(_ text: String, _ number: Int, into output: inout CaptionOutput) {
        let whole = try? Array(text.utf8).withUnsafeBytes {
            try JSONText.decode(Utterance.self, from: $0, with: OutsideJSON())
        }
        guard let utterance = whole ?? Self.damaged(text) else {
            return output.warn(line: number, "it has no \"t\"")
        }
        let end = utterance.b.flatMap { begin in utterance.d.map { begin + $0 } }
        output.final(Caption(text: Self.words(utterance.t[...]), start: utterance.b, end: end))
    }

    /// What can be had of an object whose text breaks it.
    private static func damaged(_ text: String) -> Utterance? {
        guard let begin = text.firstRange(of: #""t":""#) else { return nil }
        let rest = text[begin.upperBound...]
        guard let end = rest.firstRange(of: #"","w":"#)?.lowerBound ?? rest.lastIndex(of: "\"")
        else { return nil }
        return Utterance(
            b: number("b", in: text), d: number("d", in: text), t: String(rest[..<end]))
    }

    private static func number(_ key: String, in text: String) -> Double? {
        guard let mark = text.firstRange(of: "\"\(key)\":") else { return nil }
        var rest = text[mark.upperBound...]
        return ClockTime.takeSeconds(from: &rest)
    }

    /// Whether a line begins as `000000001: ` does.
    static func isNumbered(_ text: Substring) -> Bool {
        let begin = Array(text.utf8.prefix(11))
        return begin.count == 11 && begin[9] == UInt8(ascii: ":") && begin[10] == 0x20
            && begin[..<9].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The words as people write them: silence is none, and `the(2)` is "the" said otherwise.
    private static func words(_ text: Substring) -> String {
        text.split(separator: " ").compactMap { word in
            let isFiller =
                word == "<s>" || word == "</s>" || word == "<sil>"
                || (word.hasPrefix("++") && word.hasSuffix("++"))
            return isFiller ? nil : String(withoutVariant(word))
        }.joined(separator: " ")
    }

    private static func withoutVariant(_ word: Substring) -> Substring {
        guard word.last == ")", let open = word.lastIndex(of: "("), open > word.startIndex,
            Int(bounded: word[word.index(after: open)...].dropLast()) != nil
        else { return word }
        return word[..<open]
    }
}
