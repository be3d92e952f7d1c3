import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// What a shell offers for names that only this machine and its network know.
enum Completions {
    /// The events that can be joined now. It takes as long as finding them does, a second; a shell
    /// that got nothing offers nothing.
    static let events = CompletionKind.custom { _, _, _ in
        let answer = SystemTool.run(
            "/proc/self/exe", ["browse", "--json", "--timeout", "1", "--no-ble"],
            patience: .milliseconds(1_500))
        return words(answer.map { names(in: $0.output) } ?? [])
    }

    /// The sessions that are kept here: `last`, and the beginnings of their ids.
    static let sessions = CompletionKind.custom { _, _, _ in keptSessions() }

    /// Those, and files.
    static let sessionsOrFiles = CompletionKind.custom { _, _, prefix in
        guard prefix.contains("/") else { return keptSessions() }
        let folder = folder(of: prefix)
        return words(SmallFile.names(in: folder).map { folder + $0 })
    }

    /// The names of the events that `browse --json` lists and that can be joined.
    static func names(in json: String) -> [String] {
        struct Event: Decodable {
            var event: String?
            var joinable: Bool?
        }
        let decoder = JSONDecoder()
        return json.split(separator: "\n").compactMap { line in
            let event = try? decoder.decode(Event.self, from: Data(line.utf8))
            return event?.joinable == true ? event?.event : nil
        }
    }

    /// `names` as the shell that asks is to be given them. Others have made them up.
    private static func words(_ names: [String]) -> [String] {
        let names = names.map { SafeText.line($0) }
        // zsh and fish quote what they insert themselves.
        switch CompletionShell.requesting {
        case .zsh?, .fish?: return names
        default: return names.map { quotedForBash($0) }
        }
    }

    /// `name` as it stands in the list of words of bash's `compgen -W`. That expands what is not
    /// quoted, commands included, and takes the quotes off; what is left is inserted as it is, so
    /// that a second layer has to quote what the shell would then not take as it is.
    static func quotedForBash(_ name: String) -> String {
        var typed = ""
        for character in name {
            let isPlain =
                !character.isASCII || character.isLetter || character.isNumber
                || "_-./:@%+=,".contains(character)
            typed += isPlain ? "\(character)" : "\\\(character)"
        }
        return "'" + typed.replacing("'", with: "'\\''") + "'"
    }

    private static func keptSessions() -> [String] {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        let entries = (try? SessionStore(in: folder).list()) ?? []
        return entries.isEmpty ? [] : ["last"] + entries.map { String($0.record.session.prefix(8)) }
    }

    private static func folder(of path: String) -> String {
        String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
