import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Ends an event whose host was stopped: goes on as that host for as long as it takes to say so.
struct EndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End an event whose host has stopped: tell the guests who wait for it.",
        discussion: """
            Examples:
              beamscribe sessions end last
              BEAMSCRIBE_CODE=4821-7730 beamscribe sessions end 963435f3
            Guests of a host that was stopped (Ctrl-C) wait for it. This takes its place and its port, \
            tells them that the event has ended, and goes, once all have come who were there.
            """,
        version: Version.current)

    @Argument(
        help: ArgumentHelp(
            "A session of `beamscribe sessions`, or the last one.", valueName: "session|last"),
        completion: Completions.sessions)
    var session: String

    @Option(
        help: ArgumentHelp("Wait for guests this long, at most.", valueName: "seconds"))
    var wait: Double = Limits.endTelling.seconds

    @Option(
        help: ArgumentHelp(
            "An address to listen at; may be repeated (default: all).", valueName: "address"))
    var bind: [String] = []

    @Flag(help: "Do not announce the event on the network.")
    var noBonjour = false

    @OptionGroup var security: HostSecurityOptions

    @OptionGroup var bluetooth: BluetoothOption

    func validate() throws {
        try check((0...3_600).contains(wait), "--wait takes 0 to 3600 seconds.")
        for address in bind {
            try check(IPAddress(address) != nil, "--bind takes an IP address, not '\(address)'.")
        }
    }

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let store = SessionStore(in: folder)
            let found = try SessionChoice(wanted: session, isOwn: true)
                .find(among: try store.list()).record
            let event = SafeText.line(found.eventName)
            guard found.state != .ended else {
                return say("\"\(event)\" has ended already: nobody waits for it.")
            }
            let stored = try SessionChoice(wanted: found.session).open(in: store)
            let host = try await host(of: stored, in: folder, on: thread)
            let signals = Signals(on: thread)
            try await signals.start()
            let options = stored.record.web == nil ? [] : ["--web"]
            let page = try? await PageService.begin(
                try HostWebOptions.parse(options), for: await host.feed,
                at: stored.record.web?.port,
                link: stored.record.web?.token,
                hasCode: stored.record.hasCode == true)
            try await HostCommand.start(host)
            say("Telling those who wait for \"\(event)\" that it has ended ...")
            let asked = Task { for await _ in signals.ending.listen() { await host.endEvent() } }
            defer { asked.cancel() }
            try await tell(host, expecting: stored.record.guests)
            await page?.stop()
        }
    }

    private func host(
        of stored: StoredSession, in folder: StateFolder, on thread: LoopThread
    ) async throws -> Host {
        let session = UUID(uuidString: stored.record.session) ?? UUID()
        let proof = try await HostProof(security, in: folder, for: session, isEphemeral: false)
        try proof.checkGoesOn(stored.record)
        let device = (try? folder.claimDeviceID()) ?? .temporary()
        var configuration = HostConfiguration(
            eventName: stored.record.eventName, deviceName: stored.record.deviceName,
            deviceID: DeviceSecret(device.id).id(at: proof.security.fingerprint),
            session: session, security: proof.security)
        configuration.port = stored.record.port.map { .preferred($0) } ?? .standard
        configuration.addresses = bind.compactMap(IPAddress.init)
        configuration.storage = .resumed(stored)
        configuration.otherLogs = SessionStore(in: folder)
        configuration.input = .typed
        configuration.announces = !noBonjour
        configuration.bluetooth = bluetooth.noBle ? .nothing : .beacon
        configuration.bluetoothBus = bluetooth.address
        await configuration.regainLostLines(code: proof.code, on: thread)
        return try Host(configuration, on: thread)
    }

    /// Ends the event once those have come who were there, or have had the time to.
    private func tell(_ host: Host, expecting expected: Int?) async throws {
        let coming = Task {
            let end = Clock.uptime + .seconds(saturating: wait)
            while await Self.readers(of: host) < expected ?? .max, Clock.uptime < end {
                try await Task.sleep(for: Limits.consoleInterval)
            }
            let came = await Self.readers(of: host)
            await host.endEvent()
            return came
        }
        var unsaved: String?
        for await batch in host.news {
            for case .guests(.storageFailed(let why), _) in batch { unsaved = why }
        }
        coming.cancel()
        if let unsaved {
            throw Failure(.inputOutput, "that the event has ended was not saved: \(unsaved).")
        }
        let came = (try? await coming.value) ?? 0
        say(
            came == 0
                ? "The event has ended. Nobody came to hear it; whoever waits elsewhere leaves with Ctrl-C."
                : "The event has ended; \(plural(came, "reader")) heard it.")
    }

    private static func readers(of host: Host) async -> Int {
        let view = await host.view()
        return view.counts.stable + view.counts.syncing + (view.phones ?? 0)
    }
}
