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
        let typed = CompletionShell.requesting == .bash ? bashWord?.typed ?? "" : prefix
        guard typed.utf8.contains(slash) else { return keptSessions() }
        let folder = folder(of: typed)
        // A folder has the slash behind which its files are.
        return words(
            SmallFile.names(in: folder).map {
                folder + $0 + (SmallFile.isFolder(folder + $0) ? "/" : "")
            })
    }

    /// The names of the events that `browse --json` lists and that can be joined.
    static func names(in json: String) -> [String] {
        struct Event: Decodable {
            var event: String?
            var joinable: Bool?
        }
        let decoder = OutsideJSON()
        return json.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let event = try? decoder.decode(Event.self, from: Data(line))
            return event?.joinable == true ? event?.event : nil
        }
    }

    /// `names` as the shell that asks is to be given them. Others have made them up.
    private static func words(_ names: [String]) -> [String] {
        words(
            names, for: CompletionShell.requesting?.rawValue,
            typing: CompletionShell.requesting == .bash ? bashWord : nil)
    }

    /// A name that would not be typed as it is called cannot be completed, nor one that would be an
    /// option: `--exec=...` is a name that an event can have.
    static func words(_ names: [String], for shell: String?, typing word: BashWord?) -> [String] {
        let names = names.filter { SafeText.isSafe($0) && $0.utf8.first != UInt8(ascii: "-") }
        switch shell {
        // Both quote what they insert. To zsh's _describe a colon ends the word.
        case "fish"?: return names
        case "zsh"?: return names.map(escapedForDescribe)
        default:
            // An older script of ours expands what it is given.
            return word?.completions(names) ?? names.filter { ShellWord($0).isPlain }
        }
    }

    private static func escapedForDescribe(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the script that the program has written says of the word.
    private static var bashWord: BashWord? {
        let environment = ProcessInfo.processInfo.environment
        guard let line = environment[CompletionScript.lineVariable],
            let replaced = environment[CompletionScript.wordVariable]
        else { return nil }
        return BashWord(line: line, replaced: replaced)
    }

    private static func keptSessions() -> [String] {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        let entries = (try? SessionStore(in: folder).list()) ?? []
        guard !entries.isEmpty else { return [] }
        return words(["last"] + entries.map { String($0.record.session.prefix(8)) })
    }

    private static func folder(of path: String) -> String {
        let end = path.utf8.lastIndex(of: slash).map { path.utf8.index(after: $0) }
        return String(path[..<(end ?? path.startIndex)])
    }

    private static let slash = UInt8(ascii: "/")
}
