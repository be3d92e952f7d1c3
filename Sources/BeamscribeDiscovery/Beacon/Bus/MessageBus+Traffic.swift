import CSystemd

extension MessageBus {
    /// Calls a method and tells `answer` what came of it, at the latest when `limit` has passed;
    /// never if the connection is closed before, and never before this function returns.
    func call(
        _ call: BusCall, within limit: Duration,
        _ answer: @escaping (Result<BusMessage, BusError>) -> Void
    ) throws(BusError) {
        let message = try message(for: call)
        defer { sd_bus_message_unref(message) }
        var identity: ObjectIdentifier?
        let slot = BusSlot { [unowned self] reply in
            if let identity { calls[identity] = nil }
            answer(Self.result(of: reply))
            return 1
        }
        identity = ObjectIdentifier(slot)
        let microseconds = UInt64(max(limit, .zero) / .microseconds(1))
        try slot.register { place, callback, context in
            sd_bus_call_async(bus, place, message, callback, context, microseconds)
        }
        calls[ObjectIdentifier(slot)] = slot
        prepareToWait()
    }

    /// Calls a method and does not care for the answer.
    func send(_ call: BusCall) throws(BusError) {
        let message = try message(for: call)
        defer { sd_bus_message_unref(message) }
        try BusError.check(sd_bus_message_set_expect_reply(message, 0))
        try BusError.check(sd_bus_send(bus, message, nil))
        prepareToWait()
    }

    /// Tells `handler` every signal that a rule asks for (D-Bus Specification, "Match Rules").
    /// Somebody who sends a signal to this program alone needs no rule: look at the sender.
    func subscribe(
        _ rule: String, _ handler: @escaping (BusMessage) -> Void
    ) throws(BusError) {
        let slot = BusSlot { message in
            // A signal that cannot be read tells nothing.
            if let signal = try? BusMessage(message) { handler(signal) }
            return 0
        }
        try slot.register { place, callback, context in
            sd_bus_add_match_async(bus, place, rule, callback, nil, context)
        }
        subscriptions.append(slot)
        prepareToWait()
    }

    /// Makes an object that others can call.
    ///
    /// - Parameter answer: what a call is answered; nil for a method that the object has not.
    /// - Returns: the object, which is there until it is let go.
    func export(
        at path: String, _ answer: @escaping (BusMessage) -> [BusValue]?
    ) throws(BusError) -> BusSlot {
        let slot = BusSlot { [unowned self] message in
            guard let call = try? BusMessage(message), let values = answer(call) else { return 0 }
            try? reply(to: message, values)
            return 1
        }
        try slot.register { place, callback, context in
            sd_bus_add_object(bus, place, path, callback, context)
        }
        return slot
    }

    /// Sends a signal to all who have asked for it.
    func emit(
        _ signal: String, of interface: String, at path: String, _ values: [BusValue]
    ) throws(BusError) {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_signal(bus, &made, path, interface, signal))
        guard let message = made else { return }
        defer { sd_bus_message_unref(message) }
        try BusMessageWriter(message).append(values)
        try BusError.check(sd_bus_send(bus, message, nil))
        prepareToWait()
    }

    // MARK: Messages

    private func message(for call: BusCall) throws(BusError) -> OpaquePointer {
        var made: OpaquePointer?
        try BusError.check(
            sd_bus_message_new_method_call(
                bus, &made, call.destination, call.path, call.interface, call.method))
        guard let message = made else { throw .unreadable }
        do {
            try BusError.check(sd_bus_message_set_auto_start(message, call.mayStart ? 1 : 0))
            try BusMessageWriter(message).append(call.arguments)
        } catch {
            sd_bus_message_unref(message)
            throw error
        }
        return message
    }

    private func reply(to call: OpaquePointer, _ values: [BusValue]) throws(BusError) {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_return(call, &made))
        guard let message = made else { return }
        defer { sd_bus_message_unref(message) }
        try BusMessageWriter(message).append(values)
        try BusError.check(sd_bus_send(bus, message, nil))
    }

    private static func result(of reply: OpaquePointer) -> Result<BusMessage, BusError> {
        guard let error = sd_bus_message_get_error(reply)?.pointee else {
            return Result { () throws(BusError) in try BusMessage(reply) }
        }
        return .failure(
            .refused(
                name: error.name.map { String(cString: $0) } ?? "",
                message: error.message.map { String(cString: $0) } ?? ""))
    }
}
