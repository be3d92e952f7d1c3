import BeamscribeCore

/// Words to look for, in capitals or not.
struct SearchTerm: Equatable, Sendable {
    let text: String
    private let characters: [String]
    /// In lower case; nil if there is more than ASCII in it.
    private let bytes: [UInt8]?

    /// Nil for no text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
        characters = text.map { $0.lowercased() }
        let utf8 = Array(text.utf8)
        bytes = utf8.allSatisfy { $0 < 0x80 } ? utf8.map(Self.lowered) : nil
    }

    func isIn(_ text: String) -> Bool {
        // Nearly all texts can be ruled out by their bytes.
        mayBeIn(text) && !ranges(in: text, first: true).isEmpty
    }

    /// Where it is in `text`, as offsets in its UTF-8; no two places share a character.
    func ranges(in text: String, first isFirstEnough: Bool = false) -> [Range<Int>] {
        let haystack = text.map { $0.lowercased() }
        var ends: [Int] = []
        for character in text { ends.append((ends.last ?? 0) + character.utf8.count) }
        var found: [Range<Int>] = []
        var start = 0
        while start + characters.count <= haystack.count {
            let end = start + characters.count
            if haystack[start..<end].elementsEqual(characters) {
                found.append((start == 0 ? 0 : ends[start - 1])..<ends[end - 1])
                if isFirstEnough { break }
                start = end
            } else {
                start += 1
            }
        }
        return found
    }

    private func mayBeIn(_ text: String) -> Bool {
        guard let bytes else { return true }
        var text = text
        return text.withUTF8 { Self.contains($0, bytes) }
    }

    private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ term: [UInt8]) -> Bool {
        guard term.count <= text.count else { return false }
        for start in 0...text.count - term.count {
            var matched = 0
            while matched < term.count, lowered(text[start + matched]) == term[matched] {
                matched += 1
            }
            if matched == term.count { return true }
        }
        return false
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
