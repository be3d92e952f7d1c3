import ArgumentParser
import FoundationEssentials

/// Who may join an event.
struct HostSecurityOptions: ParsableArguments {
    // Only what follows at once is the code: the other way to parse passes over that of `--code=`
    // where an option follows.
    @Option(
        name: .customLong("code"), defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Let in only who knows the event's code: one that is made up and shown, or yours (better in BEAMSCRIBE_CODE, where nobody sees it).",
            valueName: "code"))
    var code: String?

    @Flag(help: "Take a code of yours that is easy to guess.")
    var weakCode = false

    @Flag(help: "Also serve guests without encryption who ask for that.")
    var insecure = false

    /// Whether there is a code for the event, yet to be read or to be made up.
    var isCodeGiven: Bool {
        code != nil || ProcessInfo.processInfo.environment[GivenCode.variable] != nil
    }
}
