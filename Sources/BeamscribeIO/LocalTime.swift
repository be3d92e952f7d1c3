internal import BeamscribeCore
internal import Glibc

/// A point in time as a clock on the wall here shows it.
public struct LocalTime: Equatable, Sendable {
    /// 2026
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int
    /// 0 to 23.
    public var hour: Int
    /// 0 to 59.
    public var minute: Int
    /// 0 to 60.
    public var second: Int

    /// - Parameter time: seconds since 1970. The machine's time zone, or that of TZ, applies.
    public init(_ time: Double) {
        var seconds = time_t(Int(saturating: min(max(time, -1e11), 1e11)))
        var fields = tm()
        localtime_r(&seconds, &fields)
        year = Int(fields.tm_year) + 1_900
        month = Int(fields.tm_mon) + 1
        day = Int(fields.tm_mday)
        hour = Int(fields.tm_hour)
        minute = Int(fields.tm_min)
        second = Int(fields.tm_sec)
    }

    /// When clocks here show this on another day, or showed it, in seconds since 1970 (mktime(3)).
    ///
    /// - Parameter days: how many days after this one's.
    public func time(hour: Int, minute: Int, second: Int, days: Int) -> Double {
        var fields = tm()
        fields.tm_year = Int32(clamping: year - 1_900)
        fields.tm_mon = Int32(clamping: month - 1)
        fields.tm_mday = Int32(clamping: day + days)
        fields.tm_hour = Int32(clamping: hour)
        fields.tm_min = Int32(clamping: minute)
        fields.tm_sec = Int32(clamping: second)
        fields.tm_isdst = -1
        return Double(mktime(&fields))
    }
}
