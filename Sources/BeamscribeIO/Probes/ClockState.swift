import BeamscribeCore
internal import CLinux
internal import Glibc

/// What the system knows about its wall clock.
public struct ClockState: Equatable, Sendable {
    /// Whether something keeps it right (STA_UNSYNC is not set, adjtimex(2)); nil where the system
    /// does not tell.
    public var isSynchronised: Bool?
    /// The year that it shows, in UTC.
    public var year: Int

    public static func now() -> ClockState {
        var kernel = timex()
        // Nothing is asked to be changed, so no privilege is needed.
        let code = adjtimex(&kernel)
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return ClockState(
            isSynchronised: code < 0 ? nil : kernel.status & STA_UNSYNC == 0,
            year: Int(parts.tm_year) + 1_900)
    }
}
