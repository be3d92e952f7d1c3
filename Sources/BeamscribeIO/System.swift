import BeamscribeCore
internal import Glibc

extension String {
    /// What a function of C has written into `buffer`, up to the zero behind it.
    init(terminated buffer: [CChar]) {
        let text = buffer.prefix { $0 != 0 }
        self.init(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Calls the operating system, again when a signal interrupted the call.
///
/// The one place where errno is read and EINTR retried.
///
/// - Parameters:
///   - operation: what is tried, for the error, as it goes on after "cannot".
///   - subject: on what, for the error.
///   - tolerating: error numbers that are a result and not a failure; the call then gives nil.
@discardableResult
@inline(__always)
func system<Result: FixedWidthInteger & SignedInteger>(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String = "",
    tolerating: Int32...,
    call: () -> Result
) throws(SystemError) -> Result? {
    while true {
        let result = call()
        guard result < 0 else { return result }
        let code = errno
        if code == EINTR { continue }
        if tolerating.contains(code) { return nil }
        throw SystemError(operation(), subject(), code: code)
    }
}
