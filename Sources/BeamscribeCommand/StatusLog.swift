import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import Logging

/// Writes the program's status to standard error: for people, or as JSON for programs.
struct StatusLog: LogHandler {
    enum Format: String, CaseIterable {
        case text
        case jsonl
    }

    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let format: Format

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // A reader of the JSON gets what a reader of the text gets.
        let message = SafeText.line(event.message.description)
        switch format {
        case .text: say(event.level >= .warning ? "warning: \(message)" : message)
        case .jsonl: say(json(event.level, message, event.metadata ?? [:]))
        }
    }

    private func json(_ level: Logger.Level, _ message: String, _ extra: Logger.Metadata) -> String
    {
        var fields = extra.mapValues { SafeText.line("\($0)") }
        fields["level"] = level.rawValue
        fields["message"] = message
        fields["time"] = "\(Clock.system)"
        return fields.json
    }
}

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
