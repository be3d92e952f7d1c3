public import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
public import BeamscribeInput
import FoundationEssentials

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Send the text on standard input to everybody who joins.",
        discussion: """
            Examples:
              pocketsphinx_continuous -inmic yes | beamscribe host --event "Town Hall"
              beamscribe host --event Lecture --input notes.txt --until-eof
            Each line is a caption; a line that is still being written is shown as it grows. Status \
            goes to standard error. See `man sysexits` for the exit codes.
            """,
        version: Version.current)

    @Option(help: "The event's name, 1 to 255 bytes of UTF-8.")
    var event: String

    @Option(
        help: ArgumentHelp(
            "This machine's name for people (default: its host name).", valueName: "device"))
    var name: String?

    @Option(help: "The TCP port; 0 for a free one (default: 23267, or a free one if it is taken).")
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "An address to listen at; may be repeated (default: all).", valueName: "address"))
    var bind: [String] = []

    @Option(help: ArgumentHelp("Read a file instead of standard input (-).", valueName: "file"))
    var input: String = "-"

    @Option(help: "What the input is: auto, text or jsonl.")
    var inputFormat: InputFormat = .auto

    @Flag(help: "End the event once the input has ended and every guest has all of it.")
    var untilEof = false

    @Option(help: ArgumentHelp("Guests at once.", valueName: "n"))
    var maxGuests: Int = Limits.guests

    @Option(
        help: ArgumentHelp(
            "Memory for the transcript; the oldest lines go beyond it.", valueName: "bytes"))
    var history: Int = Limits.history

    @Option(help: ArgumentHelp("A guest that stays this long has joined.", valueName: "seconds"))
    var gate: Double = 4

    @Flag(help: "Do not announce the event on the network.")
    var noBonjour = false

    @Flag(help: "Copy each final line to standard output.")
    var tee = false

    @OptionGroup var verbosity: Verbosity

    @Option(help: "How status is written: text or jsonl.")
    var logFormat: StatusLog.Format = .text

    func validate() throws {
        try check(
            !event.isEmpty && event.utf8.count <= Limits.eventNameBytes,
            "--event takes 1 to \(Limits.eventNameBytes) bytes of UTF-8.")
        try check(
            SafeText.line(event).contains { !$0.isWhitespace },
            "--event needs a name that can be seen.")
        try check((1...65_536).contains(maxGuests), "--max-guests takes a number from 1 to 65536.")
        try check(
            history >= 2 * Limits.chunk, "--history takes at least \(2 * Limits.chunk) bytes.")
        try check((0...3_600).contains(gate), "--gate takes 0 to 3600 seconds.")
        for address in bind {
            try check(IPAddress(address) != nil, "--bind takes an IP address, not '\(address)'.")
        }
    }

    private func check(_ isGood: Bool, _ message: String) throws {
        if !isGood { throw ValidationError(message) }
    }

    func run() async throws {
        try await exiting {
            ResourceLimits.raiseOpenFiles()
            let thread = try LoopThread()
            let host = try Host(hostConfiguration(), on: thread)
            let signals = Signals(on: thread)
            try await signals.start()
            try await start(host)
            async let copying: Void = copyFinals(of: host)
            let ending = Task { for await _ in signals.ending.listen() { await host.stop() } }
            defer { ending.cancel() }
            try await report(host)
            await copying
        }
    }

    private func hostConfiguration() -> HostConfiguration {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        // A host's id need not be its own: nobody replaces a host.
        let device = (try? folder.claimDeviceID()) ?? .temporary()
        let deviceName = SafeText.label(
            name ?? HostNameResolver.ownName, bytes: Limits.deviceNameBytes)
        var configuration = HostConfiguration(
            eventName: SafeText.line(event), deviceName: deviceName, deviceID: device.id)
        configuration.port = port.map { .number($0) } ?? .standard
        configuration.addresses = bind.compactMap(IPAddress.init)
        configuration.input = input == "-" ? .standardInput : .file(input)
        configuration.inputFormat = inputFormat
        configuration.endsWithInput = untilEof
        configuration.maximumGuests = maxGuests
        configuration.history = history
        configuration.announces = !noBonjour
        configuration.copiesFinals = tee
        configuration.timing.gate = .seconds(gate)
        return configuration
    }

    private func start(_ host: Host) async throws {
        do {
            try await host.start()
        } catch .cannotListen(let error) {
            let advice =
                error.isAddressInUse
                ? "Another program has it; choose another with --port, or 0 for a free one."
                : "Choose another with --port or --bind."
            throw Failure(.system, "\(error). \(advice)")
        } catch .cannotReadInput(let error) {
            throw Failure(.unreadableInput, "\(error). Is the --input right?")
        }
    }

    private func report(_ host: Host) async throws {
        var reporter = HostReporter(
            logger: verbosity.logger(logFormat), event: SafeText.line(event),
            readsPipe: input == "-" && !Terminal.isTerminal(.input),
            readsKeyboard: input == "-" && Terminal.isTerminal(.input),
            endsWithInput: untilEof)
        for await batch in host.news {
            batch.forEach { reporter.report($0) }
        }
        if let error = reporter.inputFailure { throw Failure(.inputOutput, "\(error).") }
    }

    /// Writes the finals to standard output. A reader that has gone ends the copying and nothing
    /// else.
    private func copyFinals(of host: Host) async {
        var isWanted = tee
        for await batch in host.finals where isWanted {
            let text = batch.map { caption in
                (caption.speaker.map { "\($0): " } ?? "") + caption.text + "\n"
            }
            do throws(SystemError) {
                try Terminal.write(text.joined(), to: .output)
            } catch {
                isWanted = false
            }
        }
    }
}

extension InputFormat: ExpressibleByArgument {}
extension StatusLog.Format: ExpressibleByArgument {}
