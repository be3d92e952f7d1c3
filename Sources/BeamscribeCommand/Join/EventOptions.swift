import ArgumentParser
import BeamscribeCore

/// Which event is meant, and how long it is looked for.
struct EventOptions: ParsableArguments {
    @Argument(
        help: "The event's name, or a beginning of it that only one event has.",
        completion: Completions.events)
    var event: String?

    @Option(
        help: ArgumentHelp("Join this host, without looking for one.", valueName: "address[:port]"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Give up finding a host after this (default: never; of captions on a pipe, 10).",
            valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        try check((0...86_400).contains(timeout ?? 0), "--timeout takes 0 to 86400 seconds.")
        guard let host else { return }
        try check(event == nil, "Give the event's name or --host, not both.")
        try check(
            HostAddress(host) != nil,
            "--host takes ADDRESS or ADDRESS:PORT as the host shows it, not '\(host)'.")
    }

    /// How long a host is looked for; nil for ever.
    var searchTimeout: Duration? { timeout.map { .seconds(saturating: $0) } }
}
