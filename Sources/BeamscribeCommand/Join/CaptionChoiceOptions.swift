import ArgumentParser
import BeamscribeCore

/// Which captions a reader wants to see, and how.
struct CaptionChoiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show lines in this language only (BCP 47; en takes en-GB too) and those that do not tell theirs, and a translation into it; several: en,fr.",
            valueName: "tag"))
    var lang: [String] = []

    @Option(
        help: ArgumentHelp(
            "Of an event with several logs show this one: a room's name, say, a translation's language, or floor for the host's own; all for all (default: all captions). Repeatable. What --save, --obs, --exec and the services get is the same.",
            valueName: "name"))
    var log: [String] = []

    @Flag(
        help:
            "Mask profanity in what is shown: the words of a short English list. A file of --save keeps what was said."
    )
    var profanityFilter = false

    @OptionGroup var maskedWords: MaskedWords

    func validate() throws {
        try LanguageList(lang).check()
        try check(
            !log.contains { $0.allSatisfy(\.isWhitespace) },
            "--log takes a log's name, such as \"Room 2\".")
    }

    /// The logs that are wanted.
    var logs: LogChoice { LogChoice(log) }

    /// The languages that are wanted; empty for all.
    var languages: [String] { LanguageList(lang).tags }
}
