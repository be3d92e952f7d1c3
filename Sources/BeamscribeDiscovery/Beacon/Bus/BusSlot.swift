import CSystemd

/// Something that sd-bus calls back for: the one owner of its sd_bus_slot.
///
/// Invariant: sd-bus knows of this object for as long as `slot` is not nil, and for no longer than
/// the object lives.
final class BusSlot {
    private var slot: OpaquePointer?
    private let handler: (OpaquePointer) -> Int32

    /// - Parameter handler: is given a message and says, as sd_bus_message_handler_t does, whether
    ///   that is dealt with (1) or may be somebody else's too (0).
    init(_ handler: @escaping (OpaquePointer) -> Int32) {
        self.handler = handler
    }

    deinit {
        cancel()
    }

    /// Calls `register`, a function of sd-bus, with the place for the slot, the callback and its
    /// context.
    func register(
        _ register: (
            UnsafeMutablePointer<OpaquePointer?>, @escaping sd_bus_message_handler_t,
            UnsafeMutableRawPointer
        ) -> Int32
    ) throws(BusError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try BusError.check(
            register(
                &slot,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    // The handler may let go of the last reference.
                    let slot = Unmanaged<BusSlot>.fromOpaque(context).takeUnretainedValue()
                    return withExtendedLifetime(slot) { slot.handler(message) }
                }, context))
    }

    /// Ends it. The handler is not called again.
    func cancel() {
        sd_bus_slot_unref(slot)
        slot = nil
    }
}
