import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import FoundationEssentials

/// The operator's keys.
struct HostConsoleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Somebody who speaks in captions that are typed, chosen with Tab; may be repeated.",
            valueName: "name"))
    var speaker: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help:
            "Read the operator's keys from the terminal (default: where there is one to be seen).")
    var console: Bool?

    /// The operator's terminal; nil where its keys are not to be read.
    ///
    /// - Throws: where `--console` asks for a terminal that is not there.
    func screen(_ input: HostInputOptions, _ verbosity: Verbosity) throws -> ConsoleScreen? {
        guard console != false else { return nil }
        let terminal: ConsoleTerminal
        do throws(SystemError) {
            terminal = try ConsoleTerminal()
        } catch {
            guard console == true else { return nil }
            throw Failure(.system, "\(error). --console needs a terminal; leave it out.")
        }
        return occasion(input, verbosity, terminal).kind.map { ConsoleScreen(terminal, $0) }
    }

    private func occasion(
        _ input: HostInputOptions, _ verbosity: Verbosity, _ terminal: ConsoleTerminal
    ) -> ConsoleOccasion {
        ConsoleOccasion(
            wanted: console,
            readsKeyboard: input.isKeyboard,
            takesText: input.inputFormat == .auto || input.inputFormat == .text,
            isOwnKeyboard: Terminal.isControlling(.input),
            showsAnything: Terminal.isControlling(.output) || Terminal.isControlling(.error),
            isInForeground: terminal.isInForeground,
            isUnattended: Terminal.isUnattended,
            isDumb: ProcessInfo.processInfo.environment["TERM"] == "dumb",
            isQuiet: verbosity.quiet)
    }
}
