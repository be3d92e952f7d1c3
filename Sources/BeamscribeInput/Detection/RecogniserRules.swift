/// How the output of recognisers begins that is no JSON.
enum RecogniserRules {
    private static let erase: Substring = "\u{1B}[2K"

    static func whisperStream(_ start: InputStart) -> Evidence {
        start.first { line in
            line.hasPrefix(erase) || line.hasPrefix(WhisperStreamParser.blockMark)
                || (line == WhisperStreamParser.greeting && start.hasLine)
        } orOpen: { open in
            erase.hasPrefix(open) || WhisperStreamParser.blockMark.hasPrefix(open)
                || WhisperStreamParser.greeting.hasPrefix(open)
        }
    }

    /// Timed lines, which openai-whisper says the language before.
    static func whisper(_ start: InputStart) -> Evidence {
        let headers = WhisperGrammar.headers
        let isHeader = { (line: Substring) in headers.contains(where: line.hasPrefix) }
        guard let line = start.all.first(where: { !isHeader($0) }) else {
            return start.hasLine ? .likely : start.all.isEmpty ? .none : .possible
        }
        let text = EscapeSequence.text(of: Array(line.utf8)[...])
        if TimedLine(text) != nil { return .certain }
        let isOpen = start.open == line
        let mayBeTimed =
            text == "["
            || (text.first == "[" && FileRules.isMade(of: "0123456789:.s-> ", text.dropFirst()))
        let mayBeHeader = headers.contains { $0.hasPrefix(text) }
        return isOpen && (mayBeTimed || mayBeHeader) ? .possible : .none
    }

    static func voskBanner(_ start: InputStart) -> Evidence {
        start.first {
            $0.count >= 40 && $0.allSatisfy { $0 == "#" }
        } orOpen: {
            $0.allSatisfy { $0 == "#" }
        }
    }

    static func april(_ start: InputStart) -> Evidence {
        let word: Substring = "Model "
        let isHeader = { (line: Substring) in line.hasPrefix(word) && line.contains(":") }
        guard let first = start.all.first else { return .none }
        guard isHeader(first) else {
            return !start.hasLine && (word.hasPrefix(first) || first.hasPrefix(word))
                ? .possible : .none
        }
        let next = start.all.first { !isHeader($0) }
        guard let next else { return start.lines.count > 1 ? .likely : .possible }
        if next.first == "-" || next.first == "@" { return .certain }
        let mayBeHeader = word.hasPrefix(next) || next.hasPrefix(word)
        return start.open == next && mayBeHeader ? .possible : .none
    }

    static func plover(_ start: InputStart) -> Evidence {
        start.first {
            PloverEntry.isWhole(String($0)) == true
        } orOpen: {
            PloverEntry.isWhole(String($0)) == false
        }
    }

    static func pocketSphinx(_ start: InputStart) -> Evidence {
        start.first { line in
            PocketSphinxGrammar.isNumbered(line)
                || (start.hasLine && PocketSphinxGrammar.states.contains(String(line)))
        } orOpen: { open in
            (open.count < 10 && FileRules.isMade(of: "0123456789", open.prefix(9)))
                || (open.count == 10 && FileRules.isMade(of: "0123456789:", open))
                || PocketSphinxGrammar.states.contains { $0.hasPrefix(open) }
        }
    }

    /// One line with the time of its emission is enough, which has a fraction; of the others that
    /// is asked of three.
    static func whisperStreaming(_ start: InputStart) -> Evidence {
        let spoken = start.lines.prefix(3).prefix { line in
            WhisperStreamingGrammar.caption(in: String(line)) != nil
        }
        guard spoken.count == min(start.lines.count, 3) else { return .none }
        if let first = spoken.first, first.prefix(while: { $0 != " " }).contains(".") {
            return .certain
        }
        if spoken.count == 3 { return .certain }
        let numbers = start.open.split(separator: " ", omittingEmptySubsequences: false).prefix(2)
        let mayBeTimed =
            start.open.isEmpty
            ? start.hasLine
            : numbers.allSatisfy { $0.isEmpty || FileRules.isMade(of: "0123456789.", $0) }
        guard mayBeTimed, start.open.isEmpty || start.open.first != " " else { return .none }
        return spoken.count == 2 ? .likely : .possible
    }

    /// A segment's number behind a carriage return, or the log that the same pipe has before it.
    static func sherpa(_ start: InputStart) -> Evidence {
        if start.all.contains(where: isSherpaLog) { return .certain }
        if start.all.isEmpty { return hasBareReturn(start) ? .possible : .none }
        let visible = start.all[0]
        let begin = visible.unicodeScalars.drop { $0 == "\n" }
        guard begin.first == "\r" else { return mayBeSherpaLog(visible, start) ? .possible : .none }
        let row = begin.drop { $0 == "\r" }
        let digits = row.prefix { ("0"..."9").contains($0) }
        guard digits.count < 9, digits.endIndex < row.endIndex else { return .possible }
        return !digits.isEmpty && row[digits.endIndex] == ":" ? .certain : .none
    }

    static func hasBareReturn(_ start: InputStart) -> Bool {
        start.open.unicodeScalars.first == "\r"
    }

    private static let sherpaConfiguration: Substring = "OnlineRecognizerConfig("

    private static func isSherpaLog(_ line: Substring) -> Bool {
        line.hasPrefix(sherpaConfiguration) || line.firstRange(of: "/sherpa-onnx/csrc/") != nil
    }

    private static func mayBeSherpaLog(_ line: Substring, _ start: InputStart) -> Bool {
        !start.hasLine && (sherpaConfiguration.hasPrefix(line) || line.first == "/")
    }

    /// Characters with backspaces among them; plain text has none, once its first line is whole.
    static func typed(_ start: InputStart) -> Evidence {
        if start.bytes.contains(0x08) { return .certain }
        return start.hasLine || start.all.isEmpty ? .none : .possible
    }
}
