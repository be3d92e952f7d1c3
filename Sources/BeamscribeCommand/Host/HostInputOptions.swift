public import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
public import BeamscribeInput
import FoundationEssentials

/// Where a host's text comes from, and how it is read.
struct HostInputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read a file instead of standard input (-).", valueName: "file"))
    var input: String = "-"

    // As with `--code`: only what follows at once is the command.
    @Option(
        name: .customLong("run"), defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Start a recogniser, on a terminal of its own, and start it again whenever it ends: one that this machine has, or yours.",
            valueName: "command"))
    var run: String?

    @Option(help: "What the input is, if its beginning does not show it.")
    var inputFormat: InputFormat = .auto

    @Option(
        help: ArgumentHelp(
            "A speaker's name, by the number or label that the input has; may be repeated.",
            valueName: "id=name"))
    var speakerMap: [String] = []

    @Option(
        help: ArgumentHelp(
            "The language of input that names none, as in `en` or `pt-BR`.", valueName: "tag"))
    var lang: String?

    @Flag(help: "Pass on what recognisers write for noise: [BLANK_AUDIO], (music).")
    var keepNoise = false

    @Option(
        help: ArgumentHelp(
            "Send captions at the times they have, 1 as fast as they were spoken.",
            valueName: "factor"))
    var pace: Double?

    @Flag(help: "End the event once the input has ended and every guest has all of it.")
    var untilEof = false

    @Option(
        help: ArgumentHelp(
            "Serve late readers for this long after the event has ended; 0 for none.",
            valueName: "seconds"))
    var linger = Int(saturating: Limits.linger.seconds)

    /// Looks for a recogniser where one is to be found; nil where `--run` names one, or is not given.
    func search() async throws -> RecogniserSearch? {
        guard run == "" else { return nil }
        let search = await RecogniserSearch.run(environment: ProcessInfo.processInfo.environment)
        guard search.found.isEmpty else { return search }
        let lacking = search.lacking.map { $0 + " " }.joined()
        throw Failure(
            .unreadableInput,
            "no recogniser was found on this machine. \(lacking)"
                + search.advice(on: Machine(SystemFiles(), isRoot: User.isRoot)))
    }

    /// Whether a person types the text.
    var isKeyboard: Bool { readsStandardInput && Terminal.isTerminal(.input) }

    /// Whether another program gives the text, which may hold it back.
    var isPipe: Bool { readsStandardInput && !Terminal.isTerminal(.input) }

    var readsStandardInput: Bool { input == "-" && run == nil }

    func validate() throws {
        try check(
            run == nil || input == "-",
            "--run and --input exclude each other: a recogniser is the input, or a file.")
        try check(
            run == nil || pace == nil,
            "--run and --pace exclude each other: a recogniser has its own time.")
        for entry in speakerMap where SpeakerName(entry) == nil {
            throw ValidationError(
                "--speaker-map takes an id and a name, as in 1=Ann, not '\(SafeText.line(entry))'.")
        }
        if let lang, !Self.isLanguageTag(lang) {
            throw ValidationError(
                "--lang takes a language tag such as en or pt-BR, not '\(SafeText.line(lang))'.")
        }
        try check(
            pace.map { $0 > 0 && $0 <= 100 } ?? true,
            "--pace takes a number above 0 and up to 100.")
        let longest = Int(saturating: Limits.longestLinger.seconds)
        try check((0...longest).contains(linger), "--linger takes 0 to \(longest) seconds.")
    }

    func apply(to configuration: inout HostConfiguration, _ found: FoundRecogniser?) {
        configuration.input =
            run.map { .command(found?.command ?? $0) }
            ?? (input == "-" ? .standardInput : .file(input))
        configuration.inputFormat = inputFormat == .auto ? found?.format ?? .auto : inputFormat
        configuration.inputOptions.keepsNoise = keepNoise
        configuration.inputOptions.language = lang
        for name in speakerMap.compactMap(SpeakerName.init) {
            configuration.inputOptions.speakerNames[name.id] = name.name
        }
        configuration.pace = pace
        configuration.endsWithInput = untilEof
        configuration.linger = .seconds(linger)
    }

    /// Whether `tag` is well-formed as far as BCP 47 (RFC 5646, section 2.1) goes for every tag:
    /// parts of one to eight letters and figures, the first of them of two to eight letters.
    static func isLanguageTag(_ tag: String) -> Bool {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        let areParts = parts.allSatisfy { part in
            (1...8).contains(part.utf8.count) && part.allSatisfy(\.isPlain)
        }
        return areParts && tag.utf8.count <= Limits.labelBytes && parts[0].count > 1
            && parts[0].allSatisfy(\.isLetter)
    }
}

extension InputFormat: ExpressibleByArgument {}

/// An entry of `--speaker-map`: `1=Ann`.
private struct SpeakerName {
    /// The number or label that the input has for the speaker.
    let id: String
    /// The name to show, safe and within its limit.
    let name: String

    /// - Parameter entry: an id, an equals sign and a name; the name may have more of these.
    init?(_ entry: String) {
        guard let sign = entry.firstIndex(of: "=") else { return nil }
        id = String(entry[..<sign])
        name = SafeText.label(String(entry[entry.index(after: sign)...]), bytes: Limits.labelBytes)
        guard !id.isEmpty, name.contains(where: { !$0.isWhitespace }) else { return nil }
    }
}
