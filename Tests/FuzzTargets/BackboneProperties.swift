import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// A server that keeps events says anything: what it counts, what it keeps, and what it gives of
/// that. Whatever is signed counts as signed by the right key, so that signed numbers are tried,
/// too.
enum BackboneProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        guard let hasher = try? LogSHA256() else { return }
        var choices = Choices(bytes)
        var run = Run(CredulousCrypto(hasher: hasher), &choices)
        while !choices.isEmpty { try run.step(&choices) }
    }

    fileprivate static let event = UUID(uuidString: ForgedGuestPackets.session)!

    private struct Run {
        let log: EventLog
        let publisher: Publisher
        let backbone: BackbonePublisher
        let reader: BackboneReader
        let desk: BackboneDesk
        let shelf: Shelf
        let member: BackboneMember
        let key: [UInt8]
        var catalogue: BackboneCatalogue
        var now = Moment(uptime: .seconds(100), wall: 1_800_000_000)
        var readings = [1]
        var parts = 1

        init(_ crypto: CredulousCrypto, _ choices: inout Choices) {
            let event = BackboneProperties.event
            key = Array("key".utf8)
            let record = LogRecord(
                founding: event.wireName, eventName: "Town Hall", deviceName: "stage",
                created: now.wall, number: 1)
            let writer = LogWriter(
                of: event, run: 1, as: record, by: CredulousSigner(publicKey: key), hashing: crypto)
            log = EventLog(
                session: event, transcript: Transcript(hashing: LineChain(of: event, by: crypto)),
                signedBy: writer, now: now)
            publisher = Publisher(into: log)
            backbone = BackbonePublisher(
                of: event, hasCode: choices.byte() % 2 == 1, Timing(), proving: crypto)
            reader = BackboneReader(of: event, isOpen: false, proving: crypto)
            desk = BackboneDesk(reading: reader, called: "server", Timing(), now: now)
            shelf = Shelf(joining: event, proving: crypto, order: EventOrder())
            member = BackboneMember(of: event, on: shelf, proving: crypto)
            catalogue = BackboneCatalogue(of: "Town", proving: crypto)
            let hello = Handshake(
                deviceId: UUID().uuidString, displayName: "x", timestamp: now.wall)
            if let frame = try? FrameEncoder().frame(.handshake(hello)) {
                _ = frame.withUnsafeBytes { desk.received($0, now: now) }
            }
        }

        mutating func step(_ choices: inout Choices) throws(BrokenProperty) {
            switch choices.below(12) {
            case 0:
                publisher.publish(final: Caption(text: choices.text()), now: now)
                log.seal()
            case 1: now = now.advanced(by: .milliseconds(Int(choices.short())))
            default: try take(event(&choices))
            }
            try check(backbone.look(log, nil, now: now))
            try check(desk.tick(now: now) + reader.tick(now: now.uptime) + member.tick(now: now))
            _ = catalogue.wanted
            _ = catalogue.openEvents(at: now.wall)
            _ = desk.take(1_000_000)
        }

        private mutating func take(_ event: BackboneEvent) throws(BrokenProperty) {
            if case .message(_, let subject, _, let payload) = event {
                catalogue.take(subject, payload)
            }
            try check(backbone.take(event, now: now))
            try check(reader.take(event, now: now.uptime) + member.take(event, now: now))
        }

        private func check(_ actions: [BackbonePublisher.Action]) throws(BrokenProperty) {
            for case .ask(let request) in actions {
                if case .append(_, let number, _, _) = request {
                    try expect(number >= 1, "message \(number) is to be appended")
                }
                if case .fetch(_, let number) = request {
                    try expect(number >= 1, "message \(number) is asked for")
                }
            }
        }

        private mutating func check(_ requests: [BackboneRequest]) throws(BrokenProperty) {
            for request in requests {
                switch request {
                case .read(_, let from, let reading):
                    try expect(from >= 1, "a stream is to be read from message \(from)")
                    readings.append(reading)
                case .follow(_, let reading), .listen(_, let reading): readings.append(reading)
                default: break
                }
            }
            readings = readings.suffix(8)
        }

        private func event(_ choices: inout Choices) -> BackboneEvent {
            let stream = BackboneStream.log(
                BackboneProperties.event, part: choices.pick([1, 1, 1, 2, 3, 1_000, 0, -1]))
            let reading = choices.pick(readings)
            switch choices.below(12) {
            case 0: return .connected
            case 1: return .disconnected(why: choices.text())
            case 2: return .made(choices.pick([.events, stream]))
            case 3:
                return .found(stream, count: number(&choices), newest: payload(&choices).bytes)
            case 4: return .missing(stream)
            case 5: return .stored(stream, number: number(&choices), flight: choices.below(4))
            case 6:
                return .added(
                    stream, line: number(&choices), at: number(&choices), flight: choices.below(4))
            case 7:
                return .refused(
                    stream, number: number(&choices), flight: choices.below(4), why: "no")
            case 8: return .fetched(stream, number: number(&choices), payload(&choices).bytes)
            case 9: return .caughtUp(reading: reading)
            case 10:
                let (kind, bytes) = payload(&choices)
                return .recalled(subject(kind), bytes)
            default:
                let (kind, bytes) = payload(&choices)
                return .message(
                    reading: reading, subject: subject(kind), number: number(&choices), bytes)
            }
        }

        private func subject(_ kind: BackboneEntry.Kind) -> String {
            let event = BackboneProperties.event
            return BackboneEntry(kind, of: event, in: event).subject
        }

        private func number(_ choices: inout Choices) -> Int {
            let extreme = [
                0, 1, 2, 3, 4, -1, Int.max, Int.min, Int.max - 1, Limits.lineNumber,
                Limits.lineNumber + 1, 1 << 31,
            ]
            return choices.pick(extreme)
        }

        /// Something that is kept, and as what.
        private func payload(
            _ choices: inout Choices
        ) -> (kind: BackboneEntry.Kind, bytes: [UInt8]) {
            let event = BackboneProperties.event.wireName
            let sig = #","sig":"\#(String(repeating: "A", count: 86))"}"#
            switch choices.below(6) {
            case 0: return (.head, choices.stretch())
            case 1:
                let key = Data(self.key).base64EncodedString()
                return (
                    .log,
                    Array(
                        (#"{"type":"log","session":"\#(event)","event":"\#(event)","key":"\#(key)","#
                            + #""label":"Floor","kind":"captions","eventName":"Town Hall","#
                            + #""deviceName":"x","created":\#(double(&choices)),"#
                            + #""number":\#(number(&choices))"# + sig).utf8)
                )
            case 2:
                let runs = (0..<choices.below(4)).map { _ in "\(number(&choices))" }
                let hash = String(repeating: "0", count: 64)
                return (
                    .head,
                    Array(
                        (#"{"type":"head","session":"\#(event)","runs":[\#((["0"] + runs).joined(separator: ","))],"#
                            + #""seq":\#(number(&choices)),"hash":"\#(hash)","at":\#(number(&choices)),"#
                            + #""air":\#(number(&choices)),"state":"live","inputAge":\#(double(&choices)),"#
                            + #""time":\#(double(&choices)),"next":\#(double(&choices))"# + sig)
                            .utf8)
                )
            case 3:
                return (.head, line(&choices, sig))
            case 4:
                let lines = (0..<choices.below(5)).map { _ in line(&choices, sig) }
                return (.head, lines.flatMap { FrameEncoder.frame($0) } + choices.stretch())
            default: return (.code, [49])
            }
        }

        private func line(_ choices: inout Choices, _ sig: String) -> [UInt8] {
            let end = choices.byte() % 2 == 0 ? sig : "}"
            return Array(
                (#"{"type":"liveChunk","isFinal":true,"seq":\#(number(&choices)),"line":"x","#
                    + #""text":"y","sentTimestamp":\#(double(&choices)),"at":\#(number(&choices))"#
                    + end)
                    .utf8)
        }

        private func double(_ choices: inout Choices) -> String {
            choices.pick(["1800000000.5", "-1e300", "1e300", "0", "-1", "9e15", "3"])
        }
    }
}

/// Takes every signature for true.
private struct CredulousCrypto: LogCrypto {
    let hasher: LogSHA256

    func hash(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> LogHash {
        hasher.hash(first, second)
    }

    func verifier(of publicKey: [UInt8]) -> (any LogVerifier)? { CredulousVerifier() }
}

private struct CredulousVerifier: LogVerifier {
    var writer: Fingerprint { Fingerprint(hex: String(repeating: "1", count: 64))! }

    func accepts(_ signature: LogSignature, of statement: [UInt8]) -> Bool { true }
}

private struct CredulousSigner: LogSigner {
    let publicKey: [UInt8]

    func sign(_ statement: [UInt8]) -> LogSignature? {
        LogSignature(bytes: [UInt8](repeating: 0, count: LogSignature.size))
    }
}
