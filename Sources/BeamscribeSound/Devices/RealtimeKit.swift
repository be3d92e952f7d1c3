import BeamscribeCore
import CSystemd

/// The system's service that lets a user's threads go before others (RealtimeKit, `org.freedesktop.RealtimeKit1`).
public enum RealtimeKit {
    private static let name = "org.freedesktop.RealtimeKit1"
    private static let path = "/org/freedesktop/RealtimeKit1"
    /// An answer is waited for this long, in microseconds: sound is to begin.
    private static let patience: UInt64 = 500_000

    /// Asks for it, and waits for the answer.
    ///
    /// - Parameters:
    ///   - thread: its number, of this program.
    ///   - priority: of SCHED_RR, from 1 on.
    /// - Returns: whether it was granted.
    public static func hurry(thread: UInt64, priority: UInt32) -> Bool {
        var bus: OpaquePointer?
        guard sd_bus_open_system(&bus) >= 0 else { return false }
        defer { sd_bus_close_unref(bus) }
        var message: OpaquePointer?
        guard
            sd_bus_message_new_method_call(
                bus, &message, name, path, name, "MakeThreadRealtime") >= 0
        else { return false }
        defer { sd_bus_message_unref(message) }
        var (thread, priority) = (thread, priority)
        guard
            sd_bus_message_append_basic(message, CChar(clamping: UInt8(ascii: "t")), &thread) >= 0,
            sd_bus_message_append_basic(message, CChar(clamping: UInt8(ascii: "u")), &priority) >= 0
        else { return false }
        return sd_bus_call(bus, message, patience, nil, nil) >= 0
    }
}
