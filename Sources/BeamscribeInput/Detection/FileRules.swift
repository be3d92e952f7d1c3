/// How subtitle files begin.
enum FileRules {
    static func webVTT(_ start: InputStart) -> Evidence {
        let word = "WEBVTT"
        return start.first { line in
            guard line.hasPrefix(word) else { return false }
            return line.dropFirst(word.count).first?.isWhitespace ?? start.hasLine
        } orOpen: {
            word.hasPrefix($0)
        }
    }

    static func subViewer(_ start: InputStart) -> Evidence {
        start.first {
            CueTimes(comma: String($0)) != nil && start.hasLine
        } orOpen: {
            isMade(of: "0123456789:.,", $0)
        }
    }

    /// A number alone may be a number that somebody says.
    static func subRip(_ start: InputStart) -> Evidence {
        var lines = start.all
        guard let first = lines.first else { return .none }
        if start.hasLine, CueTimes.isCounter(String(first)) { lines.removeFirst() }
        guard let times = lines.first else { return .possible }
        if CueTimes(arrow: String(times)) != nil {
            return start.lines.contains(times) ? .certain : .possible
        }
        let isOpen = start.lines.count < 2 && start.open == times
        return isOpen && isMade(of: "0123456789:.,-> \t\r", times) ? .possible : .none
    }

    /// Whether `text` begins with a figure and has none but `characters`.
    static func isMade(of characters: String, _ text: Substring) -> Bool {
        text.first?.isNumber ?? false && text.allSatisfy { characters.contains($0) }
    }
}
