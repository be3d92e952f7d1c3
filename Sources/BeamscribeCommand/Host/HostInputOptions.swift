public import ArgumentParser
import Beamscribe
import BeamscribeIO
public import BeamscribeInput

/// Where a host's text comes from, and how it is read.
struct HostInputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read a file instead of standard input (-).", valueName: "file"))
    var input: String = "-"

    @Option(help: "What the input is: auto, text or jsonl.")
    var inputFormat: InputFormat = .auto

    @Flag(help: "End the event once the input has ended and every guest has all of it.")
    var untilEof = false

    /// Whether a person types the text.
    var isKeyboard: Bool { input == "-" && Terminal.isTerminal(.input) }

    /// Whether another program gives the text, which may hold it back.
    var isPipe: Bool { input == "-" && !Terminal.isTerminal(.input) }

    func apply(to configuration: inout HostConfiguration) {
        configuration.input = input == "-" ? .standardInput : .file(input)
        configuration.inputFormat = inputFormat
        configuration.endsWithInput = untilEof
    }
}

extension InputFormat: ExpressibleByArgument {}
