import ArgumentParser
import BeamscribeCore

/// What a host keeps from its guests' eyes.
struct HostFilterOptions: ParsableArguments {
    @Flag(
        help:
            "Mask profanity for all guests: the words of a short English list. The log and `beamscribe export` keep what was said."
    )
    var profanityFilter = false

    @Option(
        help: ArgumentHelp(
            "Mask the words of a file, one a line (word* for all that begin so, # for comments).",
            valueName: "file"),
        completion: .file())
    var maskWords: String?

    var words: MaskedWords { MaskedWords(usesEnglish: profanityFilter, file: maskWords) }
}
