import BeamscribeCore
import BeamscribeIO

/// When a command that has ended is started again: after 1, 2, 4 ... 30 s, and sooner again once it has
/// run for a while.
struct RestartRules {
    enum Verdict: Equatable {
        case again(after: Duration)
        /// It has done what it had to.
        case isDone
        /// There is no such command: what does not run the first time never will.
        case cannotRun
    }

    private var begun = Duration.zero
    private var isFirst = true
    private var pause = Limits.recogniserPause

    mutating func begin(at now: Duration) { begun = now }

    /// - Parameter endsByItself: it may end well.
    mutating func end(
        _ outcome: ShellCommand.Outcome, endsByItself: Bool, at now: Duration
    ) -> Verdict {
        defer { isFirst = false }
        if endsByItself, outcome == .exited(code: 0) { return .isDone }
        if isFirst, Self.isMissing(outcome) { return .cannotRun }
        if now - begun >= Limits.recogniserHealthyAfter { pause = Limits.recogniserPause }
        defer { pause = min(pause * 2, Limits.recogniserLongestPause) }
        return .again(after: pause)
    }

    /// What the shell says of commands that are not there, or no programs.
    private static func isMissing(_ outcome: ShellCommand.Outcome) -> Bool {
        outcome == .exited(code: 126) || outcome == .exited(code: 127)
    }
}
