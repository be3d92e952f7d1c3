import Beamscribe
import BeamscribeCore
import BeamscribeTLS
import Logging

/// A host's code for its crew, and where one that was made up is shown: once.
struct CrewProof {
    let record: CodeRecord
    private let codeToShow: (code: EventCode, screen: SecretScreen)?

    /// - Parameter option: what was given; empty to make one up.
    init(_ option: String?) throws {
        let given = try GivenCode.takeForCrew(option: option)
        let code: EventCode
        if let given {
            try HostProof.check(given, allowsWeak: false)
            (code, codeToShow) = (given, nil)
        } else {
            let made = try HostProof.makeUp(for: "--crew-code", GivenCode.crewVariable)
            (code, codeToShow) = (made.0, made)
        }
        var random = SecureRandom()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        do throws(TLSError) {
            record = try CodeRecord(of: code, salt: salt)
        } catch {
            throw Failure(.system, "\(error). Try again; `beamscribe doctor` checks this machine.")
        }
    }

    /// Tells the operator what the crew needs to know.
    func tell(_ logger: Logger, _ format: StatusLog.Format) {
        guard let (code, screen) = codeToShow else {
            return logger.info("The crew needs its code, the one that you gave.")
        }
        if format == .jsonl, screen == .standardError {
            return screen.show(#"{"code":"\#(code.display)","event":"crew_code"}"#)
        }
        screen.show("The crew needs a code of its own to talk, which is shown only now:")
        screen.show("")
        screen.show("        \(code.display)")
        screen.show("")
    }
}
