import BeamscribeCore
import BeamscribeTerminal

/// The guests as a table of the console: name, state, lag, latency.
struct GuestRows {
    let guests: [GuestReport]

    private static let nameColumns = 18

    /// A heading, and a row a guest.
    var rows: [String] {
        let heading = row(["GUEST", "STATE", "LAG", "p50/p95", "FROM"])
        if guests.isEmpty { return [heading, "nobody is here yet"] }
        return [heading]
            + guests.map { guest in
                row([
                    guest.guest.name.isEmpty ? "(no name yet)" : guest.guest.name,
                    guest.state.rawValue, lag(guest), latency(guest), guest.guest.peer,
                ])
            }
    }

    private func row(_ cells: [String]) -> String {
        let name = DisplayWidth.truncated(cells[0], columns: Self.nameColumns)
        return padded(name, Self.nameColumns) + " " + padded(cells[1], 10) + " "
            + padded(cells[2], 18) + " " + padded(cells[3], 11) + " " + cells[4]
    }

    private func padded(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - DisplayWidth.columns(of: text)))
    }

    private func lag(_ guest: GuestReport) -> String {
        guard guest.lagLines > 0 else { return "none" }
        let seconds = (guest.lagSeconds * 10).rounded() / 10
        return "\(guest.lagLines) line\(guest.lagLines == 1 ? "" : "s"), \(seconds) s"
    }

    private func latency(_ guest: GuestReport) -> String {
        guard let latency = guest.latency else { return "-" }
        return "\(milliseconds(latency.p50))/\(milliseconds(latency.p95)) ms"
    }

    private func milliseconds(_ seconds: Double) -> Int {
        max(0, Int(saturating: (seconds * 1_000).rounded()))
    }
}
