import BeamscribeCore
import FoundationEssentials

extension Failure {
    /// Why a guest does not join, what that may mean, and what to do.
    init(_ refusal: SecurityRefusal) {
        self.init(.refused, Self.words(for: refusal))
    }

    private static func words(for refusal: SecurityRefusal) -> String {
        switch refusal {
        case .keyChanged(let identity, let remembered, let since, let offered):
            """
            \(name(of: identity)) has another key than on \(date(since)): \(offered) now, \
            \(remembered) then. It may have been set up anew, or another machine may be passing \
            itself off as it. Compare with what the host shows; if it is the host's, join with --forget.
            """
        case .notPinned(let pin, let offered):
            """
            the host's key is \(offered), not the \(pin.groups) of --fingerprint: it is another \
            host, or a machine that passes itself off as it. Compare with what the host shows.
            """
        case .anotherHost(let offered):
            """
            what answers where the host was has another key (\(offered)), three times in a row: \
            another machine may be passing itself off as the host. Join anew to see what is there.
            """
        case .codeNeeded:
            """
            the event asks for a code: give it in \(GivenCode.variable), or with --code, or join \
            from a terminal to be asked.
            """
        case .wrongCode: "the code is not this event's; type it as the host shows it."
        case .hostWithoutCode:
            """
            what answers does not know the code: it is an event without one (then join without), or \
            something that passes itself off as the host.
            """
        case .doorClosed:
            """
            the host takes nobody from this address for now, after too many wrong codes from here; \
            try again in a minute.
            """
        }
    }

    private static func name(of identity: HostIdentity) -> String {
        switch identity {
        case .device(let name): "the host \"\(SafeText.line(name))\""
        case .address(let address): "the host at \(SafeText.line(address))"
        }
    }

    private static func date(_ time: Double) -> String {
        let date = Date(timeIntervalSince1970: time)
        return date.formatted(.iso8601.year().month().day())
    }
}
