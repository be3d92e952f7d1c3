import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a kept event as text, subtitles or JSON.",
        discussion: """
            Examples:
              beamscribe export last
              beamscribe export 963435f3 --output town-hall.srt
              beamscribe export last --format jsonl --from 100 --to 200 | jq .text
              beamscribe export last --from 10:30 --to 11:00 --times
              beamscribe export "Town Hall" --log "Room 2"
            `beamscribe sessions` lists what there is; an event that is still on can be exported too. \
            Corrections stand in the place of what they correct, unless --with-corrections is given. \
            Of an event in which others captioned, too, all logs that this machine has are merged.
            """,
        version: Version.current)

    @Argument(
        help: ArgumentHelp(
            "A session's id or a beginning of it, `last`, an event's name, or the path of a session's log or folder.",
            valueName: "session|event|file"),
        completion: Completions.sessionsOrFiles)
    var session: String

    @Option(
        help: ArgumentHelp(
            "One of the event's logs alone: its name, `floor` for the host's own, or `all`, translations too; may be repeated (default: all captions).",
            valueName: "label"))
    var log: [String] = []

    @Flag(
        name: .customLong("private"),
        help: "Also write, and mark, lines that were said to you and not to everybody.")
    var includesPrivate = false

    @Option(
        help: ArgumentHelp(
            "txt, srt, vtt or jsonl (default: as --output ends, else txt).", valueName: "format"))
    var format: TranscriptFormat?

    @Option(
        help: ArgumentHelp(
            "Begin with this line, or with what was said at this time.", valueName: "seq|hh:mm"))
    var from: ExportBound?

    @Option(
        help: ArgumentHelp(
            "End with this line, or with what was said until this time.", valueName: "seq|hh:mm"))
    var to: ExportBound?

    @Option(
        help: ArgumentHelp(
            "Lines in this language only (BCP 47; en takes en-GB too) and those that do not tell theirs; several: en,fr.",
            valueName: "tag"))
    var lang: [String] = []

    @Flag(help: "In text, begin each line with the time at which it was said.")
    var times = false

    @Option(
        help: ArgumentHelp("Write a new file, not standard output.", valueName: "file"),
        completion: .file(extensions: ["txt", "jsonl", "srt", "vtt"]))
    var output: String?

    @Flag(
        help:
            "Show what was first said, and each correction where it came; also lines that were taken back."
    )
    var withCorrections = false

    @Flag(help: "Leave words masked that guests did not get to see (`host --profanity-filter`).")
    var masked = false

    func validate() throws {
        if let from = from?.line, let to = to?.line {
            try check(from <= to, "--from \(from) is behind --to \(to): exchange them.")
        }
        try check(
            format != nil || !(output.map { TranscriptFormat.isForeign(file: $0) } ?? false),
            "--output writes .txt, .srt, .vtt or .jsonl, and no other kind of file.")
        try languages.check()
        try check(
            !times || chosenFormat == .text,
            "--times is for text: the other formats have times of their own.")
        try check(!session.isEmpty && output?.isEmpty != true, "A session and a file need a name.")
        try check(
            log.allSatisfy { $0.contains { !$0.isWhitespace } },
            "--log takes the name of one of the event's logs.")
    }

    private var languages: LanguageList { LanguageList(lang) }

    private var chosenFormat: TranscriptFormat {
        format ?? output.map { TranscriptFormat(forFile: $0) } ?? .text
    }

    func run() async throws {
        try await exiting {
            // Nothing here is worth saving when somebody interrupts.
            SignalSource.unblock([.interrupt, .terminate, .hangUp])
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let store = SessionStore(in: folder)
            if !session.contains("/") { DamagedSessionWords.warn(of: store) }
            let sources = try ExportChoice(
                wanted: session, labels: log, includesPrivate: includesPrivate
            )
            .find(in: store)
            let export = try TranscriptExport(
                sources, showsCorrections: withCorrections, isMasked: masked,
                languages: CaptionFilter(languages: languages.tags))
            let ranges = try export.ranges(from: from, to: to)
            let warnings = export.warnings(ranges: ranges)
            let output = try ExportOutput(path: output)
            warnings.forEach { say("warning: \($0)") }
            tellOfPrivate(export.countLeftOut(from: from, to: to))
            do {
                if ranges.contains(where: { $0 != nil }) {
                    try export.write(chosenFormat, ranges: ranges, withTimes: times, to: output)
                }
            } catch {
                output.discard()
                throw error
            }
        }
    }

    private func tellOfPrivate(_ count: Int) {
        guard count > 0 else { return }
        say(
            "\(plural(count, "private line")) \(count == 1 ? "was" : "were") left out; --private adds "
                + (count == 1 ? "it." : "them."))
    }
}
