import Beamscribe
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTerminal

/// Shows the events that were found on the terminal, and takes the user's choice.
struct PickerScreen {
    private var picker: Picker
    private let counting: TerminalCounting

    init(_ counting: TerminalCounting) {
        self.counting = counting
        picker = Picker(size: counting.size(), style: Console.style)
    }

    /// - Parameter name: what the user asked for, if anything.
    mutating func show(_ update: Browser.Update, _ name: String?) {
        picker.update(items: update.hosts.filter { $0.reachability != .unknown }.map(item))
        picker.setStatus(status(update, name))
        draw()
    }

    mutating func handle(_ key: Key) -> PickerOutcome? {
        let outcome = picker.handle(key)
        draw()
        return outcome
    }

    mutating func resized() {
        picker.resize(counting.size())
        draw()
    }

    mutating func finish() {
        try? Terminal.write(picker.finish(), to: .output)
    }

    private mutating func draw() {
        picker.ask(counting.questions(counting.size()))
        try? Terminal.write(picker.render(), to: .output)
    }

    private func item(_ host: DiscoveredHost) -> PickerItem {
        var detail = HostWords.whereabouts(of: host)
        if case .unreachable(let reason) = host.reachability {
            detail += " – does not answer (\(reason))"
        }
        return PickerItem(
            id: host.id, title: HostWords.name(of: host), detail: detail,
            enabled: host.reachability == .reachable)
    }

    private func status(_ update: Browser.Update, _ name: String?) -> String {
        if let reason = update.unavailable {
            return "\(reason): join by address with `beamscribe join --host ADDRESS:PORT` (q quits)"
        }
        let wanted = name.map { "'\($0)'" } ?? "an event"
        if update.hosts.isEmpty {
            let deaf = update.bluetoothTrouble.map { " · no Bluetooth: \($0)" } ?? ""
            return "Looking for \(wanted)… (r asks again, q quits)\(deaf)"
        }
        return "Choose with the arrows and Enter, or by number (r asks again, q quits)"
    }
}
