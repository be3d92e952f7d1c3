/// Why a call on the bus came to nothing.
enum BusError: Error, Hashable {
    /// The other side, or the bus in its place, says no: a name such as
    /// `org.freedesktop.DBus.Error.AccessDenied`, and words that may be empty.
    case refused(name: String, message: String)
    /// The connection failed, with the system's error number (errno(3)).
    case failed(code: Int32)
    /// A message holds more than is read of one, or what is not read at all.
    case unreadable
}

extension BusError {
    /// The error that a function of sd-bus has given as a negative number.
    init(result: Int32) {
        self = .failed(code: -result)
    }

    /// Passes `result` of a function of sd-bus on, or throws it when it is negative.
    @discardableResult
    static func check(_ result: Int32) throws(BusError) -> Int32 {
        if result < 0 { throw BusError(result: result) }
        return result
    }
}
