import BeamscribeCore
import CEvdev

/// The names that the kernel gives the keys of input devices (linux/input-event-codes.h).
public enum KeyName {
    /// A key's number: of `KEY_F13`, `BTN_LEFT` or `f13`; nil where there is none of that name.
    public static func code(_ name: String) -> UInt16? {
        let upper: String = name.uppercased()
        let codes = [upper, "KEY_\(upper)", "BTN_\(upper)"].map { (name: String) -> Int32 in
            libevdev_event_code_from_name(UInt32(clamping: EV_KEY), name)
        }
        return codes.first { $0 > 0 }.flatMap { UInt16(exactly: $0) }
    }
}
