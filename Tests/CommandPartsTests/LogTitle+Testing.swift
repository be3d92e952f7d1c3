@testable import BeamscribeCore

extension LogTitle {
    /// One of an event's other logs, the last digit of whose id is its number.
    static func test(_ number: Int, _ label: String) -> LogTitle {
        let event = "6265616d-7363-4269-a265-000000000001"
        let record = LogRecord(
            "6265616d-7363-4269-a265-00000000000\(number)", of: event, as: label, lang: nil,
            eventName: "Town Hall", deviceName: "stage", created: 1, number: 1)
        return LogTitle(record, by: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!)
    }
}
