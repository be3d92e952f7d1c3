import BeamscribeCore

/// What a host may send a guest that has the shape of the wire's packets and not their sense.
enum ForgedHostPackets {
    static let session = "6265616d-7363-4269-a265-000000000001"

    static func response(_ choices: inout Choices) -> HandshakeResponse {
        let isRejected = choices.byte() % 8 == 7
        var response = HandshakeResponse(status: isRejected ? .rejected : .accepted)
        response.session = choices.pick([session, nil, "x", choices.text()])
        response.eventName = choices.text()
        response.lastSeq = number(&choices)
        response.runs =
            [nil, [0], [0, 3], [0, 7, 2], [4], [0, -1]][
                Int(clamping: UInt(bitPattern: response.lastSeq ?? 0) % 6)]
        response.keepAliveInterval = choices.pick([2, nil, -1, 3_600, 1e300])
        response.timestamp = choices.pick([nil, 1_800_000_000, -1e300])
        response.reason = choices.pick([nil, "full", "ended", "duplicate", "\u{1B}"])
        return response
    }

    static func challenge(_ choices: inout Choices) -> CodeChallenge {
        var challenge = CodeChallenge(salt: [UInt8](repeating: 3, count: 16))
        challenge.salt = choices.pick([challenge.salt, challenge.salt, "", "00", choices.text()])
        return challenge
    }

    static func share(_ choices: inout Choices) -> CodeShare {
        CodeShare(share: choices.stretch(), confirm: choices.pick([nil, [], [7, 7], [9]]))
    }

    static func history(_ choices: inout Choices) -> FullHistory {
        var history = FullHistory(
            session: choices.byte() % 8 == 7 ? choices.text() : session,
            from: 1, through: 1)
        history.from = number(&choices)
        history.through = number(&choices)
        return history
    }

    static func final(_ choices: inout Choices, next: Int) -> LiveChunk {
        var chunk = LiveChunk(
            final: choices.byte() % 8 == 7 ? number(&choices) : next, line: choices.text(),
            text: choices.text(),
            sentTimestamp: choices.pick([1_800_000_000, 0, 1e300, -1e300]))
        chunk.speaker = choices.pick([nil, choices.text()])
        chunk.start = choices.pick([nil, 0, 1.5, -1e300, 1e300])
        chunk.end = choices.pick([nil, 0, 2.5, -1e300, 1e300])
        return chunk
    }

    static func partial(_ choices: inout Choices) -> LiveChunk {
        LiveChunk(
            partialOf: choices.pick(["a", "b", choices.text()]), revision: 1,
            text: choices.text(), sentTimestamp: 0)
    }

    static func alert(_ choices: inout Choices) -> Alert {
        var alert = Alert(.paused, choices.text(), sentTimestamp: 0)
        alert.kind = choices.pick(
            ["paused", "resumed", "input_ended", "host_disconnected", choices.text(), "ended"])
        return alert
    }

    static func keepAlive(_ choices: inout Choices) -> KeepAlive {
        var packet = KeepAlive(timestamp: choices.pick([1_800_000_000, 0, 1e300, -1e300]))
        packet.inputAge = choices.pick([nil, 0, 20, -1, 1e300, -1e300])
        packet.echo = choices.pick([nil, 1_800_000_000, 1e308, -1e308])
        packet.received = choices.pick([nil, 1_800_000_000, 1e308, -1e308])
        return packet
    }

    static func number(_ choices: inout Choices) -> Int {
        let byte = Int(choices.byte())
        let extremes = [Int.max, .max - 1, .min, .min + 1, -1, 1 << 53, 1_000_000]
        return byte < 200 ? byte : extremes[byte % extremes.count]
    }
}
