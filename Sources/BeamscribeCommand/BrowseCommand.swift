import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "List the events on the network.",
        discussion: """
            Examples:
              beamscribe browse
              beamscribe browse --watch --json
              beamscribe browse --type _airplay._tcp
            """,
        version: Version.current)

    @Option(help: "Any other service type, for example _airplay._tcp.")
    var type: String = DiscoveredHost.serviceType

    @Flag(help: "Go on, and tell what comes and goes.")
    var watch = false

    @Flag(help: "One JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Give up after this when nothing is found (default: 3).", valueName: "seconds"))
    var timeout: Double = 3

    @OptionGroup var bluetooth: BluetoothOption

    func validate() throws {
        let labels = type.split(separator: ".", omittingEmptySubsequences: false)
        let isType =
            labels.count == 2 && labels.allSatisfy { $0.hasPrefix("_") && $0.utf8.count <= 63 }
            && ["_tcp", "_udp"].contains(labels[1]) && labels[0].allSatisfy(Self.isOfName)
        try check(isType, "--type takes a service type such as _airplay._tcp.")
        try check((0...86_400).contains(timeout), "--timeout takes 0 to 86400 seconds.")
    }

    /// What a service's name may hold (RFC 6335, section 5.1), and its underscore.
    private static func isOfName(_ character: Character) -> Bool {
        character.isPlain || "-_".contains(character)
    }

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let browser = try Browser(type: type, bluetooth: bluetooth.bus, on: thread)
            let signals = Signals(on: thread)
            try await signals.start()
            await signals.endWithReader()
            await browser.start()
            let ending = Task { for await _ in signals.ending.listen() { await browser.stop() } }
            let limit = Task {
                try await Task.sleep(for: .seconds(saturating: timeout))
                if !watch { await browser.stop() }
            }
            defer {
                ending.cancel()
                limit.cancel()
            }
            try await list(browser, signals)
        }
    }

    private func list(_ browser: Browser, _ signals: Signals) async throws {
        var list = ServiceList(isJSON: json)
        var latest = Browser.Update()
        for await update in browser.updates {
            if let reason = update.unavailable, latest.unavailable == nil {
                say(
                    "warning: \(reason), so nothing can be found on the network for now; `beamscribe "
                        + "doctor` says what to do.")
            }
            if watch, let trouble = update.bluetoothTrouble, trouble != latest.bluetoothTrouble,
                !trouble.isAbsence
            {
                say("warning: nothing can be found by Bluetooth: \(trouble) (\(trouble.advice)).")
            }
            latest = update
            if watch {
                try writeOutput(list.changes(to: entries(of: update), among: all(of: update)))
            } else if update.isSettled, !entries(of: update).isEmpty {
                await browser.stop()
            }
        }
        if let error = await signals.outputFailure { throw Failure(cannotWrite: error) }
        guard !watch else { return }
        let found = entries(of: latest)
        guard !found.isEmpty else { throw nothingFound(latest) }
        try writeOutput(list.all(found))
    }

    /// Those that are to be shown.
    private func entries(of update: Browser.Update) -> [ServiceList.Entry] {
        all(of: update).filter { $0.event == nil || $0.joinable != nil }
    }

    /// Also those of which it is not known yet whether they can be joined.
    private func all(of update: Browser.Update) -> [ServiceList.Entry] {
        type == DiscoveredHost.serviceType
            ? update.hosts.map(ServiceList.Entry.init)
            : update.services.map(ServiceList.Entry.init)
    }

    private func nothingFound(_ update: Browser.Update) -> Failure {
        if let reason = update.unavailable {
            return Failure(cannotFind: "nothing", because: reason)
        }
        let deaf = update.bluetoothTrouble.map {
            " Nothing can be found by Bluetooth either: \($0) (\($0.advice))."
        }
        let what = type == DiscoveredHost.serviceType ? "no event" : "no service of type \(type)"
        return Failure(
            .noHost,
            "\(what) was found in \(Int(saturating: timeout)) s. Is the host on this network, and does "
                + "the network pass multicast? `beamscribe join --host ADDRESS:PORT` needs neither."
                + (deaf ?? ""))
    }
}
