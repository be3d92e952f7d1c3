@testable import BeamscribeCore

extension LogTitle {
    /// One of an event's other logs.
    static var sample: LogTitle { sample("Room 2") }

    /// The same, called so.
    static func sample(_ label: String) -> LogTitle {
        let session = "6265616d-7363-4269-a265-000000000002"
        let record = LogRecord(
            session, of: "6265616d-7363-4269-a265-000000000001", as: label, lang: nil,
            eventName: "Town Hall", deviceName: "balcony", created: 1, number: 1)
        return LogTitle(record, by: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!)
    }
}
