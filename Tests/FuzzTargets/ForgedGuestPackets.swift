import BeamscribeCore

/// What guests may send a host that has the shape of the wire's packets and not their sense, and
/// what the host's input may say meanwhile.
enum ForgedGuestPackets {
    static let session = "6265616d-7363-4269-a265-000000000001"

    static func handshake(_ choices: inout Choices) -> Handshake {
        let device = choices.pick(["1", "2", "3", "4", "x"])
        var handshake = Handshake(
            deviceId: "6265616d-7363-4269-a265-00000000000\(device)",
            displayName: choices.text())
        handshake.protocol = choices.pick([1, 1, 1, 2])
        if choices.byte() % 2 == 1 {
            let after = number(&choices)
            handshake.resume = .init(session: session, after: after, run: after)
        }
        handshake.from = choices.byte() % 4 == 1 ? number(&choices) : nil
        handshake.history = choices.pick([nil, nil, "none", choices.text()])
        handshake.logs = choices.pick([nil, 1, 1, 2])
        handshake.timestamp = choices.pick([nil, 1, 1e300])
        return handshake
    }

    static func keepAlive(_ choices: inout Choices) -> KeepAlive {
        var packet = KeepAlive(timestamp: choices.pick([0, 1_800_000_000, 1e308, -1e308]))
        packet.applied = number(&choices)
        packet.latencyP50 = packet.timestamp
        packet.latencyP95 = packet.timestamp
        packet.echo = choices.pick([nil, 0, 1e308, -1e308])
        packet.received = choices.pick([nil, 0, 1e308, -1e308])
        return packet
    }

    /// As the parsers of the input make them.
    static func caption(_ choices: inout Choices) -> Caption {
        var text = SafeText.line(choices.text())
        // Longer than a stretch, so that the transcript soon lets its oldest lines go.
        if text.utf8.count >= 128 { text = String(repeating: text, count: 12) }
        text = SafeText.prefix(text, bytes: 3_000)
        return Caption(
            text: text.isEmpty ? "x" : text, line: choices.pick([nil, nil, "a", "b"]),
            start: choices.pick([nil, 0, 1e300]), replaces: choices.pick([nil, 1, .max]))
    }

    static func number(_ choices: inout Choices) -> Int {
        let byte = Int(choices.byte())
        return byte < 250 ? byte : [Int.max, .min, -1, .max - 1][byte % 4]
    }
}
