import ArgumentParser
import BeamscribeCore

/// What a guest asks of its host.
struct JoinSecurityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The event's code (better in BEAMSCRIBE_CODE, or asked for on a terminal, where nobody sees it).",
            valueName: "code"))
    var code: String?

    @Option(
        help: ArgumentHelp(
            "Join only the host with this key, of which it shows the first 16 digits.",
            valueName: "hex"))
    var fingerprint: String?

    @Flag(help: "Forget the host's key that is remembered, and remember the one it has now.")
    var forget = false

    @Flag(help: "Join a host that has not hosted the event before, or asks for no code any more.")
    var acceptNewHost = false

    @Flag(help: "Do without encryption, if the host does, too.")
    var insecure = false

    /// The key, as far as the user names it.
    var pin: FingerprintPin? { fingerprint.flatMap { FingerprintPin($0) } }

    func validate() throws {
        try check(
            fingerprint == nil || pin != nil,
            "--fingerprint takes 16 to 64 hexadecimal digits, as the host shows them.")
        try check(
            !insecure || (code == nil && fingerprint == nil && !forget && !acceptNewHost),
            "--insecure goes with none of --code, --fingerprint, --forget and "
                + "--accept-new-host: without encryption nobody proves anything.")
    }
}
