public import BeamscribeCore

/// A host's part of one guest's proof: what it hears and says from the end of the TLS handshake
/// until the guest may come in. It reads no clock and no socket.
///
///     guest                     host
///     handshake       ------>
///                     <------   code_challenge
///     code_share      ------>   (a guess: the driver says when it is answered)
///                     <------   code_share
///     code_confirm    ------>   admitted, or a wrong code
///
/// Invariant: the host's share is said once at most, and `check` is what it goes with.
public struct CodeExaminer {
    /// What the driver is to do.
    public enum Event: Equatable {
        case say([UInt8])
        /// The guest has guessed: call ``answer()`` once it may have an answer.
        case guesses
        /// The guest knows the code; this is its handshake, as it would have said it otherwise.
        case admitted([UInt8])
        /// It does not; send this and close.
        case wrongCode([UInt8])
        /// It cannot be let in; send this and close. The reason is for the operator.
        case refused([UInt8], why: String)
        /// It breaks the protocol: close.
        case broken(why: String)
    }

    private enum Step {
        case handshake
        case share(Handshake)
        case answer(Handshake, share: [UInt8])
        case confirm(Handshake, CodeCheck)
        case over
    }

    private let record: CodeRecord
    private let exporter: [UInt8]
    private var step = Step.handshake
    private var decoder: FrameDecoder
    private var heard = 0
    private let packets = PacketDecoder()
    private let encoder = FrameEncoder()

    /// - Parameters:
    ///   - exporter: ``TLSConnection/exportedKey()`` of the connection.
    ///   - transport: what carries it.
    public init(_ record: CodeRecord, exporter: [UInt8], over transport: Transport) {
        self.record = record
        self.exporter = exporter
        decoder = FrameDecoder(
            limit: Limits.guestFramePayload, takesEndMark: transport.marksEnd)
    }

    public var isOver: Bool { if case .over = step { true } else { false } }

    /// Bytes came in. `bytes` need be valid during the call only.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        var events: [Event] = []
        heard += bytes.count
        guard heard <= Limits.guestFramePayload else {
            return [end(.broken(why: CloseReason.tooTalkative.description))]
        }
        do throws(FrameError) {
            // The decoder is taken out so that a packet may change the rest.
            var decoder = self.decoder
            defer { self.decoder = decoder }
            try decoder.decode(bytes) { payload in
                guard !isOver else {
                    // Whoever comes in has to wait for the answer.
                    if case .admitted? = events.last { events = [spokeTooSoon] }
                    return false
                }
                events += take(payload)
                return true
            }
        } catch {
            if !isOver { events.append(end(.broken(why: "\(error)"))) }
        }
        return events
    }

    private var spokeTooSoon: Event { .broken(why: "did not wait for the answer") }

    private mutating func take(_ payload: UnsafeRawBufferPointer) -> [Event] {
        do throws(PacketError) {
            let packet = try packets.packet(payload)
            if case .unknown = packet { return [] }
            return [take(packet)]
        } catch {
            return [end(.broken(why: "\(error)"))]
        }
    }

    private mutating func take(_ packet: Packet) -> Event {
        switch (step, packet) {
        case (.handshake, .handshake(let handshake)): return challenge(handshake)
        case (.share(let handshake), .codeShare(let share)):
            step = .answer(handshake, share: Array(share.share))
            return .guesses
        case (.confirm(let handshake, let check), .codeConfirm(let confirm)):
            return judge(handshake, check, confirm)
        case (.handshake, _):
            return end(.broken(why: CloseReason.notAHandshake(packet.typeName).description))
        default:
            return end(.broken(why: CloseReason.outOfTurn(packet.typeName).description))
        }
    }

    private mutating func challenge(_ handshake: Handshake) -> Event {
        guard handshake.protocol == Handshake.currentProtocol else {
            let refusal = HandshakeResponse(
                rejecting: .unsupportedProtocol, HandshakeResponse.otherVersion)
            return end(
                .refused(
                    frame(.handshakeResponse(refusal)),
                    why: CloseReason.rejected(.unsupportedProtocol).description))
        }
        step = .share(handshake)
        return .say(frame(.codeChallenge(CodeChallenge(salt: record.salt))))
    }

    /// Answers the guest's guess: with this the guest learns whether it was right.
    public mutating func answer() throws(TLSError) -> Event {
        guard case .answer(let handshake, let share) = step else {
            return end(.broken(why: "has not guessed"))
        }
        guard let check = try CodeCheck(record, share: share, exporter: exporter) else {
            return end(.broken(why: "sent a share that is none"))
        }
        step = .confirm(handshake, check)
        return .say(frame(.codeShare(CodeShare(share: check.share, confirm: check.confirm))))
    }

    private mutating func judge(
        _ handshake: Handshake, _ check: CodeCheck, _ confirm: CodeConfirm
    ) -> Event {
        guard check.accepts(Array(confirm.confirm)) else {
            let refusal = HandshakeResponse(rejecting: .wrongCode, "The code is wrong.")
            return end(.wrongCode(frame(.handshakeResponse(refusal))))
        }
        var proven = handshake
        proven.resume = confirm.resume
        proven.timestamp = confirm.timestamp
        return end(.admitted(frame(.handshake(proven))))
    }

    private mutating func end(_ event: Event) -> Event {
        step = .over
        return event
    }

    private func frame(_ packet: Packet) -> [UInt8] {
        // Encoding fails for numbers that are not finite only, and none of these came so.
        (try? encoder.frame(packet)) ?? []
    }
}
