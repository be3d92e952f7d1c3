public import ArgumentParser
public import BeamscribeTerminal

/// How a terminal shows the captions, where that is to differ from the settings in the file.
struct ReaderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "On a terminal: make lines this wide, 32 at least (default: the terminal).",
            valueName: "columns"))
    var width: Int?

    @Option(help: "On a terminal: what stands before a line: off, clock or elapsed.")
    var timestamps: ReaderSettings.Timestamps?

    @Flag(help: "On a terminal: show finished lines only.")
    var noPartials = false

    @Flag(help: "Print the settings of the terminal view and where they are kept, and end.")
    var showConfig = false

    func validate() throws {
        guard let width, !ReaderSettings.widths.contains(width) else { return }
        let widths = ReaderSettings.widths
        throw ValidationError("--width takes \(widths.lowerBound) to \(widths.upperBound) columns.")
    }

    /// These settings, as far as the command line does not say otherwise.
    func applied(to settings: ReaderSettings) -> ReaderSettings {
        var settings = settings
        if let width { settings.width = width }
        if let timestamps { settings.timestamps = timestamps }
        if noPartials { settings.showsPartials = false }
        return settings
    }
}

extension ReaderSettings.Timestamps: ExpressibleByArgument {}
