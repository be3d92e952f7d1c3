import Beamscribe
import BeamscribeCore
import Logging

/// Tells the operator how guests know the host, and who tries what he should not.
struct SecurityReporter: Reporter {
    let proof: HostProof
    let format: StatusLog.Format
    let logger: Logger

    /// What guests need to know from the start.
    func begin() {
        tellKey(of: "host")
        if proof.security.allowsPlain {
            warn(
                "--insecure: guests who ask for it get the captions without encryption, and anybody "
                    + "on the network can read those along.", "insecure")
        }
        tellCode()
    }

    /// What others who take part need to know. Readers of an event that this machine has begun compare
    /// its key.
    func beginInMesh() {
        tellKey(of: "machine")
        tellCode()
    }

    private func tellKey(of place: String) {
        let fingerprint = proof.security.fingerprint
        say(
            "Key of this \(place): \(fingerprint); `beamscribe join --verbose` shows it.", "key",
            ["fingerprint": "\(fingerprint.hex)"])
    }

    private func tellCode() {
        for warning in proof.warnings { warn(warning, "key_trouble") }
        if let (code, screen) = proof.codeToShow {
            show(code, on: screen)
        } else if proof.security.hasCode {
            logger.info("Guests need the event's code, the one that you gave.")
        }
    }

    /// A code belongs in no log: it goes past the logger, and once only.
    private func show(_ code: EventCode, on screen: SecretScreen) {
        if format == .jsonl, screen == .standardError {
            return screen.show(#"{"code":"\#(code.display)","event":"code"}"#)
        }
        screen.show("Guests need the event's code, which is shown only now:")
        screen.show("")
        screen.show("        \(code.display)")
        screen.show("")
    }

    func doorClosed(to source: String) { warn(Self.closedDoor(to: source), "door_closed") }

    static func closedDoor(to source: String) -> String {
        "Too many wrong codes from \(source); nobody from there is let in for a minute."
    }
}
