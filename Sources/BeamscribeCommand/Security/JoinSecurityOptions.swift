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

    @Flag(help: "Do without encryption, if the host does, too.")
    var insecure = false

    func validate() throws {
        if let fingerprint, FingerprintPin(fingerprint) == nil {
            throw ValidationError(
                "--fingerprint takes 16 to 64 hexadecimal digits, as the host shows them.")
        }
        if insecure, code != nil || fingerprint != nil || forget {
            throw ValidationError(
                "--insecure goes with none of --code, --fingerprint and --forget: without "
                    + "encryption nobody proves anything.")
        }
        if code != nil, fingerprint != nil || forget {
            throw ValidationError(
                "--code goes with neither --fingerprint nor --forget: the host proves that it knows "
                    + "the code, and shows no key.")
        }
    }
}
