import BeamscribeCore

/// The word that somebody has begun to type in bash, and what has to be inserted to finish it.
///
/// The shell is not asked to take its quotes off: that would run what stands in them.
struct BashWord {
    private enum Quote {
        case none
        case single
        case double
    }

    /// What the word means so far.
    let typed: String
    /// The part of it that stays as it is: what it means, and the quote that is open behind it.
    private let head: (text: [UInt8], quote: Quote)

    /// - Parameters:
    ///   - line: the command line up to the cursor.
    ///   - replaced: the end of it that bash will replace (`$2` of a completion function): the
    ///     word, or what stands in it behind an open quote or a colon.
    /// - Returns: nil where the word's meaning is not known before the shell has expanded it.
    init?(line: String, replaced: String) {
        let bytes = Array(line.utf8)
        let rest = Array(replaced.utf8)
        var reading = Reading()
        for (index, byte) in bytes.enumerated() {
            if !reading.take(byte) { reading = Reading(wordStart: index + 1) }
        }
        let word = bytes[min(reading.wordStart, bytes.count)...]
        guard let meaning = reading.meaning, word.count >= rest.count,
            word.suffix(rest.count).elementsEqual(rest)
        else { return nil }
        var before = Reading()
        for byte in word.dropLast(rest.count) where !before.take(byte) { return nil }
        guard let start = before.meaning else { return nil }
        typed = String(decoding: meaning, as: UTF8.self)
        head = (start, before.quote)
    }

    /// What takes the place of the replaced part, for each of `names` that begins as the word does.
    ///
    /// All are quoted as soon as one has to be: bash inserts what they begin with in common.
    func completions(_ names: [String]) -> [String] {
        let rests = names.filter { $0.utf8.starts(with: typed.utf8) }
            .map { String(decoding: $0.utf8.dropFirst(head.text.count), as: UTF8.self) }
        switch head.quote {
        case .none:
            let arePlain = rests.allSatisfy { ShellWord($0).isPlain }
            return arePlain ? rests : rests.map { ShellWord($0).quoted }
        case .single:
            // A quote at the beginning would be taken for the one that is there.
            return rests.filter { $0.utf8.first != UInt8(ascii: "'") }
                .map { String(ShellWord($0).quoted.utf8.dropFirst()) ?? "" }
        case .double:
            return rests.filter { ShellWord($0).isPlainInDoubleQuotes }.map { $0 + "\"" }
        }
    }

    /// Reads a word byte by byte.
    private struct Reading {
        var wordStart = 0
        private(set) var quote = Quote.none
        private var text: [UInt8] = []
        private var isBehindBackslash = false
        private var isExpanded = false

        init(wordStart: Int = 0) {
            self.wordStart = wordStart
        }

        /// What the word means, as far as that is certain.
        var meaning: [UInt8]? { isExpanded || isBehindBackslash ? nil : text }

        /// - Returns: false if the word ends before `byte`.
        mutating func take(_ byte: UInt8) -> Bool {
            if isBehindBackslash {
                isBehindBackslash = false
                if quote == .double, !"$`\"\\".utf8.contains(byte) { text.append(0x5C) }
                text.append(byte)
                return true
            }
            switch (quote, byte) {
            case (.none, UInt8(ascii: "'")): quote = .single
            case (.none, UInt8(ascii: "\"")): quote = .double
            case (.single, UInt8(ascii: "'")), (.double, UInt8(ascii: "\"")): quote = .none
            case (.none, UInt8(ascii: "\\")), (.double, UInt8(ascii: "\\")):
                isBehindBackslash = true
            case (.none, UInt8(ascii: "$")), (.none, UInt8(ascii: "`")),
                (.double, UInt8(ascii: "$")), (.double, UInt8(ascii: "`")):
                isExpanded = true
            case (.none, _) where " \t\n;|&()<>".utf8.contains(byte): return false
            default: text.append(byte)
            }
            return true
        }
    }
}
