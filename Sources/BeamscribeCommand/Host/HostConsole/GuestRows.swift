import BeamscribeCore
import BeamscribeTerminal

/// The guests as a table of the console: name, state, lag, latency.
struct GuestRows {
    let guests: [GuestReport]

    private static let columns = [18, 10, 18, 11, 0]

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
        let name = CharacterWidths.common.truncated(cells[0], columns: Self.columns[0])
        let padded = zip([name] + cells[1...], Self.columns).map {
            CharacterWidths.common.padded($0, to: $1)
        }
        return padded.joined(separator: " ")
    }

    private func lag(_ guest: GuestReport) -> String {
        guard guest.lagLines > 0 else { return "none" }
        let seconds = (guest.lagSeconds * 10).rounded() / 10
        return "\(plural(guest.lagLines, "line")), \(seconds) s"
    }

    private func latency(_ guest: GuestReport) -> String {
        guard let latency = guest.latency else { return "-" }
        return "\(Int(milliseconds: latency.p50))/\(Int(milliseconds: latency.p95)) ms"
    }
}
