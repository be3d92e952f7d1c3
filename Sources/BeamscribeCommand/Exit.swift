import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO

/// How the program ends other than well: one sentence on standard error and a code of
/// sysexits(3).
struct Failure: Error {
    var code: Code
    /// What failed, on what, and what to do.
    var message: String

    enum Code: Int32 {
        case usage = 64
        case unreadableInput = 65
        case noHost = 69
        case system = 71
        case cannotMakeFile = 73
        case inputOutput = 74
        case hostLost = 75
        case protocolViolation = 76
        case refused = 77
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Standard output, or a file that is written, takes no more.
    init(cannotWrite error: SystemError) {
        let advice = error.isDiskFull ? "Make room there, or write" : "Write"
        self.init(.inputOutput, "\(error). \(advice) to another place.")
    }

    /// Nobody can be looked for.
    init(cannotFind wanted: String, because reason: String) {
        self.init(
            .noHost,
            "\(wanted) can be found: \(reason). `beamscribe doctor` says what to do; joining by "
                + "address needs none of it: `beamscribe join --host ADDRESS:PORT`, which the host "
                + "shows.")
    }
}

extension Failure {
    /// Nil for what is no failure of the program's own.
    fileprivate init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case StartError.cannotBegin(let error): self.init(error)
        case let error as SystemError where error.refusal != nil:
            // Where the program itself refuses, it says what to do as well.
            self.init(.system, "\(error).")
        case is SystemError, is StartError:
            self.init(.system, "\(error). `beamscribe doctor` checks this machine.")
        default: return nil
        }
    }
}

/// Runs `body`, and ends the program as its ``Failure`` says.
func exiting(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        guard let failure = Failure(error) else { throw error }
        say("beamscribe: \(failure.message)")
        throw ExitCode(failure.code.rawValue)
    }
}

/// Refuses a command line that does not hold what it should.
func check(_ isGood: Bool, _ message: @autoclosure () -> String) throws {
    if !isGood { throw ValidationError(message()) }
}

/// Writes a line to standard error, safe to show whoever wrote what it tells. Whoever has closed it
/// does not want to know.
func say(_ line: String) {
    try? TerminalOwner.write(SafeText.line(line) + "\n", to: .error)
}

func writeOutput(_ text: String) throws {
    do throws(SystemError) {
        try Terminal.write(text, to: .output)
    } catch {
        throw Failure(cannotWrite: error)
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
