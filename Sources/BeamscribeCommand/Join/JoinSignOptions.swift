import ArgumentParser
import BeamscribeCore

/// The file that a sign or a video shows.
struct JoinSignOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep the newest rows in a text file, for OBS and other programs that show one.",
            valueName: "file"),
        completion: .file(extensions: ["txt"]))
    var obs: String?

    @Option(help: ArgumentHelp("Rows in the file of --obs, 1 to 50.", valueName: "n"))
    var obsLines = 2

    @Option(
        help: ArgumentHelp(
            "Columns of these rows, 10 to 200; 0 breaks no line.", valueName: "columns"))
    var obsWidth = CaptionRows.width

    @Flag(help: "Leave lines that are still being said out of the file of --obs.")
    var obsFinals = false

    func validate() throws {
        try check((1...50).contains(obsLines), "--obs-lines takes 1 to 50 rows.")
        try check(
            obsWidth == 0 || (10...200).contains(obsWidth),
            "--obs-width takes 10 to 200 columns, or 0 to break no line.")
        try check(
            obs.map { !$0.isEmpty && !$0.hasSuffix("/") } ?? true,
            "--obs takes a file's name, such as captions.txt.")
    }

    func open(_ tell: @escaping @Sendable (String) -> Void) throws -> SignFile? {
        let board = CaptionBoard(
            rows: obsLines, width: obsWidth == 0 ? nil : obsWidth, showsOpenLines: !obsFinals)
        return try obs.map { try SignFile($0, showing: board, tell: tell) }
    }
}
