import Logging

/// Tells the operator something; programs know it by the name of the event.
protocol Reporter {
    var logger: Logger { get }
}

extension Reporter {
    func say(_ message: String, _ event: String, _ more: Logger.Metadata = [:]) {
        log(.info, message, event, more)
    }

    func warn(_ message: String, _ event: String) { log(.warning, message, event) }

    func detail(_ message: String, _ event: String) { log(.debug, message, event) }

    func log(
        _ level: Logger.Level, _ message: String, _ event: String, _ more: Logger.Metadata = [:]
    ) {
        logger.log(level: level, "\(message)", metadata: more.merging(["event": "\(event)"]) { $1 })
    }
}
