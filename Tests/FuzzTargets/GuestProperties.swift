import BeamscribeCore
import FoundationEssentials

/// A guest's session with a host that sends anything, breaks off and comes back: the guest tells
/// its reader what ``GuestWitness`` takes, and never hangs.
enum GuestProperties {
    /// - Parameter isSecure: whether what the host says comes as a TLS connection's plaintext.
    static func check(
        _ bytes: UnsafeRawBufferPointer, isSecure: Bool
    ) throws(BrokenProperty) {
        var choices = Choices(bytes)
        var run = Run(&choices, isSecure: isSecure)
        while !choices.isEmpty, run.witness.outcome == nil { try run.step(&choices) }
        try run.perform(run.guest.stop())
        try expect(run.witness.outcome != nil, "a stopped session has no outcome")
    }

    private struct Run {
        let guest: GuestSession
        var witness: GuestWitness
        var now = Moment(uptime: .seconds(100), wall: 1_800_000_000)
        var isConnected = false
        /// Nil until something was said, and where there is no TLS.
        var tunnel: TLSTunnel?
        let isSecure: Bool

        init(_ choices: inout Choices, isSecure: Bool) {
            self.isSecure = isSecure
            var configuration = GuestSession.Configuration(displayName: "Ann")
            configuration.hasCode = choices.byte() % 4 == 2
            configuration.start = choices.pick([.beginning, .next, .line(5)])
            configuration.reconnects = choices.byte() % 4 != 1
            if choices.byte() % 4 == 1 {
                configuration.resume = .init(session: ForgedHostPackets.session, after: 3)
            }
            guest = GuestSession(configuration, seed: 1, now: now)
            witness = GuestWitness(configuration)
        }

        mutating func step(_ choices: inout Choices) throws(BrokenProperty) {
            if !isConnected { try connect() }
            switch choices.below(15) {
            case 0: try receive(choices.stretch())
            case 1: try receive(framed(choices.stretch()))
            case 2: try receive(.handshakeResponse(ForgedHostPackets.response(&choices)))
            case 3: try receive(.fullHistory(ForgedHostPackets.history(&choices)))
            case 4, 5: try receive(.liveChunk(nextFinal(&choices)))
            case 6: try receive(.liveChunk(ForgedHostPackets.partial(&choices)))
            case 7: try receive(.alert(ForgedHostPackets.alert(&choices)))
            case 8: try receive(.keepAlive(ForgedHostPackets.keepAlive(&choices)))
            case 9: try pass(.milliseconds(Int(choices.short())))
            case 10: try lose()
            case 11: try receive(.codeChallenge(ForgedHostPackets.challenge(&choices)))
            case 12: try receive(.codeShare(ForgedHostPackets.share(&choices)))
            case 13: try judge(&choices)
            default: guest.readingPaused(choices.byte() % 2 == 0, now: now)
            }
            try expect(guest.position?.after == witness.position(of: guest), "the position")
        }

        /// The driver's part of the code's proof, in turn and out of it.
        private mutating func judge(_ choices: inout Choices) throws(BrokenProperty) {
            let verdicts: [GuestSession.CodeVerdict] = [
                .wrong, .broken, .proven(confirm: [1, 2, 3]), .proven(confirm: [1, 2, 3]),
            ]
            try perform(guest.codeShare(choices.pick([nil, [1], [4, 5, 6]]), now: now))
            try perform(guest.codeJudged(choices.pick(verdicts), now: now))
        }

        /// Mostly the one that is due.
        private func nextFinal(_ choices: inout Choices) -> LiveChunk {
            let next = (guest.position?.after ?? 0).addingReportingOverflow(1).partialValue
            return ForgedHostPackets.final(&choices, next: next)
        }

        // MARK: What the driver does

        private mutating func connect() throws(BrokenProperty) {
            var patience = 8
            while !isConnected, witness.outcome == nil {
                // A guest whose reader rests does not dial.
                guest.readingPaused(false, now: now)
                guard let due = guest.nextDeadline else {
                    throw BrokenProperty("without a connection, nothing is due")
                }
                now = now.advanced(by: max(.zero, due - now.uptime))
                try perform(guest.tick(now))
                patience -= 1
                try expect(patience > 0, "a guest that dials no more")
            }
        }

        private mutating func pass(_ time: Duration) throws(BrokenProperty) {
            let end = now.uptime + time
            var patience = 200
            while isConnected, let due = guest.nextDeadline, due <= end {
                now = now.advanced(by: max(.zero, due - now.uptime))
                try perform(guest.tick(now))
                patience -= 1
                try expect(patience > 0, "deadlines without end")
            }
            now = now.advanced(by: max(.zero, end - now.uptime))
        }

        private mutating func lose() throws(BrokenProperty) {
            isConnected = false
            try perform(guest.disconnected(ConnectionTrouble(.networkLost, "cut"), now: now))
        }

        private mutating func receive(_ packet: Packet) throws(BrokenProperty) {
            try receive((try? FrameEncoder().frame(packet)) ?? [])
        }

        /// In two pieces, as TCP may.
        private mutating func receive(_ bytes: [UInt8]) throws(BrokenProperty) {
            let half = bytes.count / 2
            for part in [bytes[..<half], bytes[half...]].map(Array.init) where isConnected {
                for piece in try carried(part) where isConnected {
                    try perform(piece.withUnsafeBytes { guest.received($0, now: now) })
                }
            }
        }

        /// What comes out of TLS; one tunnel is enough for all connections, for all that goes in
        /// comes out at once.
        private mutating func carried(_ bytes: [UInt8]) throws(BrokenProperty) -> [[UInt8]] {
            guard isSecure else { return [bytes] }
            let carrier = try established()
            return try carrier.carry(bytes, from: carrier.host)
        }

        /// What the guest says comes to the host as it was said.
        private mutating func say(_ bytes: [UInt8]) throws(BrokenProperty) {
            guard isSecure else { return }
            let carrier = try established()
            _ = try carrier.carry(bytes, from: carrier.guest)
        }

        private mutating func established() throws(BrokenProperty) -> TLSTunnel {
            if let tunnel { return tunnel }
            let made = try TLSTunnel.established()
            tunnel = made
            return made
        }

        mutating func perform(_ actions: [GuestSession.Action]) throws(BrokenProperty) {
            for action in actions {
                try witness.take(action)
                switch action {
                case .connect:
                    isConnected = true
                    try perform(guest.connected(as: UUID(), now: now))
                case .disconnect: isConnected = false
                case .send(let bytes): try say(bytes)
                case .report, .finish, .hear, .goElsewhere, .pull, .proveCode, .judgeCode, .voices,
                    .voice:
                    continue
                }
            }
        }
    }
}

/// `payload` with its length before it, as the wire has it.
func framed(_ payload: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(clamping: payload.count >> 8 & 0xFF), UInt8(clamping: payload.count & 0xFF)]
        + payload
}
