import BeamscribeCore
import BeamscribeIO

/// A copy of the lines so far, in a new file of the current folder.
enum TranscriptCopy {
    /// Names that are tried before giving up.
    private static let tries = 1_000
    private static let longestName = 200

    /// - Returns: its name: `Town-Hall-2026-05-01.txt`, or that with `-2` and so on where there is
    ///   one already. None is ever overwritten.
    static func write(
        _ text: String, event: String, at time: LocalTime
    ) throws(SystemError) -> String {
        for number in 1..<tries {
            let name = fileName(event: event, at: time, number: number)
            guard !OutputFile.exists(name) else { continue }
            try OutputFile(creating: name).write(text)
            return name
        }
        throw .fileExists("make the file", fileName(event: event, at: time, number: tries))
    }

    /// A name that every file system takes: letters with their marks, digits, `-`, `_` and single
    /// dots. By scalars: there are letters that make one `Character` with a slash behind them.
    static func fileName(event: String, at time: LocalTime, number: Int) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in event.unicodeScalars { safe.append(isPlain(scalar) ? scalar : "-") }
        let words = safe.split { $0 == "-" || $0 == "." }.map { String($0) }.joined(separator: "-")
        let name = SafeText.label(words.isEmpty ? "captions" : words, bytes: longestName)
        let date = "\(time.year)-\(time.month.twoDigits)-\(time.day.twoDigits)"
        return "\(name)-\(date)\(number == 1 ? "" : "-\(number)").txt"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: scalar == "_" || scalar == "."
        }
    }
}
