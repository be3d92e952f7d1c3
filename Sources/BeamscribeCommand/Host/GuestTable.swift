import BeamscribeCore
import Logging

/// How each guest fares, as rows for the operator.
struct GuestTable {
    let guests: [GuestReport]
    /// How long ago the last input came; nil once it has ended.
    let inputAge: Duration?

    /// A heading, and a row a guest.
    var rows: [String] {
        let input =
            inputAge.map { "last input \(Int(saturating: $0.seconds)) s ago" }
            ?? "the input has ended"
        return ["\(plural(guests.count, "guest")), \(input)\(guests.isEmpty ? "." : ":")"]
            + guests.map(row)
    }

    func log(to logger: Logger, as level: Logger.Level) {
        logger.log(level: level, "\(rows[0])", metadata: ["event": "guests"])
        for (guest, row) in zip(guests, rows.dropFirst()) {
            logger.log(level: level, "\(row)", metadata: metadata(of: guest))
        }
    }

    private func row(_ report: GuestReport) -> String {
        let lag =
            report.lagLines == 0
            ? "no lag"
            : "lag \(report.lagLines) lines, \((report.lagSeconds * 10).rounded() / 10) s"
        let latency = report.latency.map {
            "latency p50 \(Int(milliseconds: $0.p50)) ms, p95 \(Int(milliseconds: $0.p95)) ms"
        }
        let unstable = report.unstable == 0 ? nil : "unstable \(report.unstable) times"
        let figures = [report.state.rawValue, lag, latency, unstable].compactMap(\.self)
        let name = report.guest.name.isEmpty ? "(no name yet)" : report.guest.name
        return "    \(name) from \(report.guest.peer): " + figures.joined(separator: ", ")
    }

    private func metadata(of report: GuestReport) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "event": "guest", "guest": "\(report.guest.name)", "peer": "\(report.guest.peer)",
            "state": "\(report.state.rawValue)", "lagLines": "\(report.lagLines)",
            "lagSeconds": "\(report.lagSeconds)", "unstable": "\(report.unstable)",
        ]
        if let latency = report.latency {
            metadata["latencyP50"] = "\(latency.p50)"
            metadata["latencyP95"] = "\(latency.p95)"
        }
        return metadata
    }
}
