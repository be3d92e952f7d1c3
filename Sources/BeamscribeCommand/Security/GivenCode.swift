import BeamscribeCore
import BeamscribeIO

/// An event's code as a user gives it to the program.
enum GivenCode {
    /// The variable of the environment that holds a code.
    static let variable = "BEAMSCRIBE_CODE"

    /// The variable that holds the crew's code.
    static let crewVariable = "BEAMSCRIBE_CREW_CODE"

    /// Takes the code from an option or else from the environment, and hides it there: others must
    /// not see it, and programs that this one starts must not have it.
    ///
    /// - Returns: nil where there is none.
    static func take(option: String?) throws -> EventCode? { try take(option, or: variable) }

    /// The same of the crew's code.
    static func takeForCrew(option: String?) throws -> EventCode? {
        try take(option, or: crewVariable)
    }

    private static func take(_ option: String?, or variable: String) throws -> EventCode? {
        let fromEnvironment = ProcessSecrets.takeVariable(variable)
        if let option, !option.isEmpty {
            ProcessSecrets.hideArgument(option)
            say(
                "warning: other users of this machine could see the code on the command line; "
                    + "\(variable) does not show it.")
            return try read(option)
        }
        return try fromEnvironment.map(read)
    }

    /// Reads what was typed.
    private static func read(_ typed: String) throws -> EventCode {
        do throws(EventCodeError) {
            return try EventCode(typed)
        } catch {
            throw Failure(.usage, "\(error). A host without one makes one up with --code.")
        }
    }
}
