import ArgumentParser
import BeamscribeCore

/// The commands by their names, for somebody who has mistyped one.
struct CommandNames {
    private let names: [String]
    /// Other names that serve as well.
    private let aliases: [String]

    init(_ names: [String], aliases: [String] = []) {
        (self.names, self.aliases) = (names, aliases)
    }

    /// What is wrong with the command among the program's arguments; nil where nothing is.
    ///
    /// - Parameter arguments: without the program's own name.
    func complaint(about arguments: [String]) -> String? {
        let isHelp = arguments.first == "help"
        guard let word = arguments.dropFirst(isHelp ? 1 : 0).first, !word.hasPrefix("-"),
            word != "help", !names.contains(word), !aliases.contains(word)
        else { return nil }
        if let meant = nearest(to: word) {
            return "there is no command '\(word)'. Did you mean '\(meant)'?"
        }
        return "there is no command '\(word)', but \(names.joined(separator: ", "))."
    }

    /// The name that is at most two letters away from a word, swapped ones counted once.
    private func nearest(to word: String) -> String? {
        names.map { ($0, Self.distance(Array($0.utf8), Array(word.lowercased().utf8))) }
            .filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
    }

    /// How many letters have to be added, taken away, changed or swapped with the next (optimal
    /// string alignment).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        guard other.count <= 2 * one.count else { return .max }
        var rows = [Array(0...other.count)]
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, its) in other.enumerated() {
                var least = min(
                    rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == its ? 0 : 1))
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == its {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
