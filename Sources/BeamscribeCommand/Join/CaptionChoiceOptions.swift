import ArgumentParser
import BeamscribeCore

/// Which captions a reader wants to see, and how.
struct CaptionChoiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show lines in this language only (BCP 47; en takes en-GB too) and those that do not tell theirs; several: en,fr.",
            valueName: "tag"))
    var lang: [String] = []

    @Flag(
        help:
            "Mask profanity in what is shown: the words of a short English list. A file of --save keeps what was said."
    )
    var profanityFilter = false

    @OptionGroup var maskedWords: MaskedWords

    func validate() throws {
        try LanguageList(lang).check()
    }

    /// The languages that are wanted; empty for all.
    var languages: [String] { LanguageList(lang).tags }
}
