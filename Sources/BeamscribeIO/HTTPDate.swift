import BeamscribeCore
internal import Glibc

/// A time as HTTP has it (RFC 9110, section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
public enum HTTPDate {
    /// - Parameter seconds: since 1970.
    public static func text(_ seconds: Double) -> String {
        var (whole, parts) = (time_t(saturating: seconds), tm())
        gmtime_r(&whole, &parts)
        var text = [CChar](repeating: 0, count: 64)
        // In English: no locale is ever set.
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(terminated: text)
    }
}
