internal import Glibc

/// A time as HTTP has it (RFC 9110, section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter seconds: since 1970.
    public static func text(_ seconds: Double) -> String {
        var (whole, parts) = (time_t(seconds), tm())
        gmtime_r(&whole, &parts)
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        return "\(day) \(parts.tm_year + 1_900) \(time) GMT"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
