public import ArgumentParser
public import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// Where a guest's captions go, and in which form.
struct JoinOutputOptions: ParsableArguments {
    @Option(help: "What a pipe gets: text, jsonl, srt or vtt.")
    var format: TranscriptFormat = .text

    @Flag(
        help:
            "Print lines on a terminal too, without moving the cursor: for screen readers and braille."
    )
    var plain = false

    @Option(
        help: ArgumentHelp(
            "Also write the lines to a file, in the format of its ending (.txt, .jsonl, .srt, .vtt): a new one, or one that an earlier join of this event has left unfinished. If there is another one, -2 and so on is put behind its name.",
            valueName: "file"),
        completion: .file(extensions: ["txt", "jsonl", "srt", "vtt"]))
    var save: String?

    @OptionGroup var sign: JoinSignOptions

    @Option(
        help: ArgumentHelp(
            "Run this by the shell for each finished line, with the line on its standard input.",
            valueName: "command"))
    var exec: String?

    @OptionGroup var services: JoinServiceOptions

    @OptionGroup var choice: CaptionChoiceOptions

    func validate() throws {
        try check(
            exec?.allSatisfy(\.isWhitespace) != true,
            "--exec takes a command, such as 'espeak-ng'.")
        try check(
            !(save.map { TranscriptFormat.isForeign(file: $0) } ?? false),
            "--save writes .txt, .srt, .vtt or .jsonl, and no other kind of file.")
        try check(
            save == nil || save != sign.obs,
            "--save and --obs cannot be the same file: give each a name of its own.")
    }

    /// The live view is for a terminal that can do it; everything else gets lines.
    var isLive: Bool {
        isTerminal && !plain && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether lines are read where they are printed, by a person.
    var isPlainTerminal: Bool { isTerminal && !isLive }

    private var isTerminal: Bool { Terminal.isTerminal(.output) && format == .text }

    /// Opens what the captions go to beside standard output.
    ///
    /// - Parameter languages: those that the reader usually wants; empty for all. A program that
    ///   reads the captions gets what the command line asks for and nothing less.
    func open(usually languages: [String]) throws -> GuestOutputs {
        let notices = Notices(isLive: isLive)
        let usual = isTerminal ? languages : []
        let wanted = choice.languages.isEmpty ? usual : choice.languages
        let mask = try choice.maskedWords.mask(withEnglish: choice.profanityFilter)
        return GuestOutputs(
            saved: try save.map {
                try SavedTranscript($0, subtitles: choice.logs.isOne ? .ofOneLog : .ofAllLogs) {
                    notices.tell($0)
                }
            },
            sign: try sign.open { notices.tell($0) },
            command: try command { notices.tell($0) },
            services: try services.open { notices.tell($0, isWarning: $1) },
            choice: CaptionChoice(logs: choice.log, languages: wanted, mask: mask),
            notices: notices)
    }

    private func command(
        _ tell: @escaping @Sendable (String) -> Void
    ) throws(SystemError) -> LineCommand? {
        guard let exec else { return nil }
        var command = ShellCommand(exec)
        // What it says would be written over the live view.
        command.isHeard = !(isLive && Terminal.isTerminal(.error))
        return try LineCommand(command, tell: tell)
    }
}

extension TranscriptFormat: ExpressibleByArgument {
    /// Files of text end in .txt, so that name serves as well.
    public init?(argument: String) {
        self.init(rawValue: argument == "txt" ? "text" : argument)
    }
}
