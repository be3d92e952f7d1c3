import ArgumentParser
import BeamscribeCore
import BeamscribeIO

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
            "Also write the lines to a file, in the format of its ending (.txt, .jsonl, .srt, .vtt): a new one, or one that an earlier join of this event has left unfinished.",
            valueName: "file"))
    var save: String?

    /// The live view is for a terminal; everything else gets lines.
    var isLive: Bool {
        Terminal.isTerminal(.output) && !plain && format == .text
    }

    /// Opens what the captions go to beside standard output.
    func open() throws -> GuestOutputs {
        GuestOutputs(saved: try save.map { try SavedTranscript($0) })
    }
}
