import ArgumentParser
import Logging

/// How much the program says on standard error.
struct Verbosity: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Say only what is wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose = false

    func logger(_ format: StatusLog.Format = .text) -> Logger {
        let level: Logger.Level = quiet ? .warning : verbose ? .debug : .info
        return Logger(label: "beamscribe") { _ in StatusLog(logLevel: level, format: format) }
    }
}
