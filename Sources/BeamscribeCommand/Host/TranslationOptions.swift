import ArgumentParser
import Beamscribe
import BeamscribeCore

/// Into which languages a host has its lines translated.
struct TranslationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Have each line translated by a command that prints a line for each that it reads, and send that too; may be repeated. Needs --lang.",
            valueName: "tag=command"))
    var translate: [String] = []

    /// - Parameter spoken: the language of the input; nil where that is not said.
    func check(spoken: String?) throws {
        guard !translate.isEmpty else { return }
        for entry in translate where Translation(entry) == nil {
            throw ValidationError(
                "--translate takes a language and a command, as in de='my-translator --to de', not "
                    + "'\(SafeText.line(entry))'.")
        }
        try BeamscribeCommand.check(
            spoken != nil,
            "--translate needs --lang, the language that is spoken: readers choose by it.")
        let languages = translations.map { $0.language.lowercased() }
        for (index, language) in languages.enumerated() {
            try BeamscribeCommand.check(
                !languages[..<index].contains(language),
                "--translate \(language) is given twice: give it once.")
            try BeamscribeCommand.check(
                language != spoken?.lowercased(),
                "--translate \(language) is the language of --lang: nothing is to be translated.")
        }
    }

    var translations: [HostConfiguration.Translation] {
        translate.compactMap { Translation($0)?.wanted }
    }
}

/// An entry of `--translate`: `de=my-translator --to de`.
private struct Translation {
    let wanted: HostConfiguration.Translation

    init?(_ entry: String) {
        guard let sign = entry.firstIndex(of: "=") else { return nil }
        let language = String(entry[..<sign])
        let command = String(entry[entry.index(after: sign)...])
        guard HostInputOptions.isLanguageTag(language),
            command.contains(where: { !$0.isWhitespace })
        else { return nil }
        wanted = HostConfiguration.Translation(into: language, by: command)
    }
}
