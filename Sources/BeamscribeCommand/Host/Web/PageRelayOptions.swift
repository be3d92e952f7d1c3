import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// Where phones go when the host is gone.
struct PageRelayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where this host is gone, send phones on to the page of the `beamscribe relay --web` at this address, or of `all` that there are (default: to none). Can be repeated.",
            valueName: "address|all"))
    var webRelay: [String] = []

    func check(hasPage: Bool) throws {
        try BeamscribeCommand.check(
            hasPage || webRelay.isEmpty,
            "--web-relay needs --web: it is for those who read this host's page.")
        for address in webRelay {
            try BeamscribeCommand.check(
                address == "all" || IPAddress(address) != nil,
                "--web-relay takes an IP address, or all, not '\(address)'.")
        }
    }

    var admission: PageAdmission {
        if webRelay.isEmpty { return .nobody }
        if webRelay.contains("all") { return .everybody }
        return .addresses(Set(webRelay.compactMap { IPAddress($0)?.description }))
    }
}
