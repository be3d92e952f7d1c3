import Beamscribe
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTerminal
import Logging

/// Finds the host that the user means, and asks where that is not clear.
struct HostSelection {
    let name: String?
    /// The ids of hosts that were found not to be meant.
    let others: Set<String>
    let timeout: Duration?
    /// What is known of the host beforehand.
    let expectation: HostExpectation
    /// Whether it is over once everybody has been heard and nobody is meant.
    let endsWithNobody: Bool
    /// The D-Bus address by which BlueZ is reached; nil to do without.
    let bluetooth: String?
    /// Nil where nobody can be asked.
    let console: Console?
    let logger: Logger

    /// What came of it.
    enum Outcome {
        case found(GuestConfiguration.Target)
        /// Nobody is there but those who are not meant.
        case nobody
        /// The user has had enough.
        case left
    }

    /// - Throws: ``Failure`` when there is no host in time, or several and nobody to ask.
    func run(on thread: LoopThread, signals: Signals) async throws -> Outcome {
        let browser = try Browser(bluetooth: bluetooth, on: thread)
        await browser.start()
        let result = try await choose(with: browser, signals)
        await browser.stop()
        return result
    }

    private enum Step {
        case update(Browser.Update)
        case key(Key)
        case resized
        case patienceOver
        case timedOut
        case stopped
    }

    private func choose(with browser: Browser, _ signals: Signals) async throws -> Outcome {
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        let tasks = feed(continuation, from: browser, signals)
        defer { tasks.forEach { $0.cancel() } }
        var screen = console.map { PickerScreen($0.counting) }
        defer { screen?.finish() }
        var latest = Browser.Update()
        var warning = BluetoothWarning(logger: console == nil ? logger : nil)
        screen?.show(latest, name)
        for await step in steps {
            switch step {
            case .update(var update):
                update.hosts.removeAll { others.contains($0.id) }
                warn(of: update, after: latest)
                warning.take(update.bluetoothTrouble)
                latest = update
                let choice = HostChoice.decide(
                    name: name, among: update.hosts, isSettled: update.isSettled,
                    areHostsSettled: update.areHostsSettled, expecting: expectation)
                if case .join(let host) = choice { return .found(.host(host)) }
                if choice == .wait, endsWithNobody, update.isSettled { return .nobody }
                if case .choose(let hosts) = choice, screen == nil { throw severalFound(hosts) }
                screen?.show(update, name)
            case .key(let key):
                switch screen?.handle(key) {
                case .chosen(let id)?:
                    if let host = latest.hosts.first(where: { $0.id == id }) {
                        return .found(.host(host))
                    }
                case .refresh?: await browser.refresh()
                case .cancelled?: return .left
                case nil: break
                }
            case .resized: screen?.resized()
            case .patienceOver: warning.isDue = true
            case .timedOut:
                warning.isDue = true
                if endsWithNobody { return .nobody }
                throw nothingFound(latest)
            case .stopped: return .left
            }
        }
        return .left
    }

    private func feed(
        _ steps: AsyncStream<Step>.Continuation, from browser: Browser, _ signals: Signals
    ) -> [Task<Void, any Error>] {
        let keys = console?.keys.listen() ?? AsyncStream { $0.finish() }
        let counting = console?.counting.changes.listen() ?? AsyncStream { $0.finish() }
        let timeout = timeout
        return [
            Task { for await update in browser.updates { steps.yield(.update(update)) } },
            Task { for await key in keys { steps.yield(.key(key)) } },
            Task { for await _ in signals.terminalChanges.listen() { steps.yield(.resized) } },
            Task { for await _ in counting { steps.yield(.resized) } },
            Task { for await _ in signals.ending.listen() { steps.yield(.stopped) } },
            Task {
                try await Task.sleep(for: BluetoothWarning.patience)
                steps.yield(.patienceOver)
            },
            Task {
                guard let timeout else { return }
                try await Task.sleep(for: timeout)
                steps.yield(.timedOut)
            },
        ]
    }

    private func warn(of update: Browser.Update, after latest: Browser.Update) {
        guard let reason = update.unavailable, latest.unavailable == nil, console == nil else {
            return
        }
        logger.warning(
            """
            \(reason), so no host can be found on the network for now; `beamscribe doctor` says what \
            to do.
            """)
    }

    // MARK: Failing

    private func severalFound(_ hosts: [DiscoveredHost]) -> Failure {
        say("Several events were found:")
        for host in hosts {
            say("    \(HostWords.name(of: host)) (\(HostWords.whereabouts(of: host)))")
        }
        let areNamesakes = Set(hosts.map(\.eventName)).count == 1
        return Failure(
            .usage,
            areNamesakes
                ? "which one? They have the same name: give --host ADDRESS:PORT."
                : "which one? Give its name, or --host ADDRESS:PORT.")
    }

    private func nothingFound(_ update: Browser.Update) -> Failure {
        let wanted = name.map { "no event '\($0)'" } ?? "no event"
        if let reason = update.unavailable {
            return Failure(cannotFind: wanted, because: reason)
        }
        var names: [String] = []
        for host in update.hosts where !names.contains(host.eventName) {
            names.append(host.eventName)
        }
        let others = names.map { "'\($0)'" }.joined(separator: ", ")
        let hint =
            others.isEmpty
            ? "Is the host on this network, and does the network pass multicast? "
                + "`beamscribe join --host ADDRESS:PORT` needs neither."
            : "Found: \(others): join one of these, or give --host ADDRESS:PORT."
        return Failure(.noHost, "\(wanted) was found in time. \(hint)")
    }
}
