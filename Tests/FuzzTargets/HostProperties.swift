import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// A room with guests that send anything and read as they like: what each gets is what
/// ``HostWitness`` takes, and the host's own books are right.
enum HostProperties {
    /// - Parameter isSecure: whether each guest talks through a TLS connection.
    static func check(
        _ bytes: UnsafeRawBufferPointer, isSecure: Bool
    ) throws(BrokenProperty) {
        var choices = Choices(bytes)
        var run = Run(&choices, isSecure: isSecure)
        while !choices.isEmpty {
            try run.step(&choices)
            try run.checkBooks()
        }
        try run.end()
    }

    static let session = UUID(uuidString: ForgedGuestPackets.session)!
    static let guests = 3
    /// Who signs.
    fileprivate static let writer = (try? HostKey()).flatMap(WriterKey.init)

    private struct Run {
        let log: EventLog
        let publisher: Publisher
        let room: Room
        var handles: [ConnectionID: Room.Handle] = [:]
        var witnesses: [ConnectionID: HostWitness] = [:]
        var now = Moment(uptime: .seconds(100), wall: 1_800_000_000)
        var nextID = 1
        var tunnels: [ConnectionID: TLSTunnel] = [:]
        let isSecure: Bool

        init(_ choices: inout Choices, isSecure: Bool) {
            self.isSecure = isSecure
            // A chunk holds the largest frame; small ones let the oldest lines go soon.
            let chunkSize = choices.pick([4_096 + 512, 1_048_576])
            log =
                choices.byte() % 2 == 1
                ? Self.signed(chunkSize: chunkSize, now: now)
                : EventLog(
                    session: HostProperties.session,
                    transcript: Transcript(limit: 0, chunkSize: chunkSize), now: now)
            publisher = Publisher(into: log)
            room = Room(
                Room.Configuration(
                    eventName: "Town Hall", deviceName: "stage", deviceID: HostProperties.session,
                    maximumGuests: HostProperties.guests),
                serving: log, seed: 1)
        }

        /// A log that is signed; one that is not, where there is no memory.
        private static func signed(chunkSize: Int, now: Moment) -> EventLog {
            let session = HostProperties.session
            let record = LogRecord(
                founding: session.wireName, eventName: "Town Hall", deviceName: "stage",
                created: now.wall, number: 1)
            let hasher = try? LogSHA256()
            let writer = HostProperties.writer.flatMap { key in
                hasher.flatMap { LogWriter(of: session, run: 1, as: record, by: key, hashing: $0) }
            }
            let chain = hasher.map { LineChain(of: session, by: $0) }
            return EventLog(
                session: session,
                transcript: Transcript(limit: 0, chunkSize: chunkSize, hashing: chain),
                signedBy: writer, now: now)
        }

        mutating func step(_ choices: inout Choices) throws(BrokenProperty) {
            switch choices.below(13) {
            case 0: try connect()
            case 1: try receive(choices.stretch(), from: known(&choices))
            case 2: try receive(framed(choices.stretch()), from: known(&choices))
            case 3, 4:
                try receive(
                    .handshake(ForgedGuestPackets.handshake(&choices)), from: known(&choices))
            case 5:
                try receive(
                    .keepAlive(ForgedGuestPackets.keepAlive(&choices)), from: known(&choices))
            case 6, 7:
                publisher.publish(final: ForgedGuestPackets.caption(&choices), now: now)
                try perform(room.trim())
            case 8:
                publisher.publish(partial: ForgedGuestPackets.caption(&choices), now: now)
                if choices.byte() % 2 == 1 { log.seal() }
            case 9: try drain(known(&choices), limit: Int(choices.short()))
            case 10: try pass(.milliseconds(Int(choices.short())))
            case 11: try lose(known(&choices))
            default:
                let kind: Alert.Kind = choices.pick([.paused, .resumed, .inputEnded])
                log.tell(kind, "so it is", now: now)
            }
        }

        /// One of the last connections, open or not.
        private func known(_ choices: inout Choices) -> ConnectionID {
            max(0, nextID - 1 - choices.below(6))
        }

        // MARK: What the driver does

        private mutating func connect() throws(BrokenProperty) {
            let id = nextID
            nextID += 1
            witnesses[id] = HostWitness(session: HostProperties.session.wireName)
            handles[id] = room.connected(id, from: "192.0.2.\(id % 3)", now: now)
            try expect(room.surplus() == nil, "there is no place for a connection")
        }

        private mutating func receive(
            _ packet: Packet, from id: ConnectionID
        ) throws(BrokenProperty) {
            try receive((try? FrameEncoder().frame(packet)) ?? [], from: id)
        }

        private mutating func receive(
            _ bytes: [UInt8], from id: ConnectionID
        ) throws(BrokenProperty) {
            // A connection that is gone has nobody to read from it.
            guard let tunnel = try tunnel(of: id) else {
                return try perform(
                    bytes.withUnsafeBytes { room.received($0, from: id, now: now) })
            }
            for piece in try tunnel.carry(bytes, from: tunnel.guest) where witnesses[id] != nil {
                try perform(piece.withUnsafeBytes { room.received($0, from: id, now: now) })
            }
        }

        /// The TLS connection of a guest; nil for one that is gone, and where there is no TLS.
        private mutating func tunnel(of id: ConnectionID) throws(BrokenProperty) -> TLSTunnel? {
            guard isSecure, witnesses[id] != nil else { return nil }
            if let tunnel = tunnels[id] { return tunnel }
            let made = try TLSTunnel.established()
            tunnels[id] = made
            return made
        }

        private mutating func drain(
            _ id: ConnectionID, limit: Int = .max
        ) throws(BrokenProperty) {
            guard let guest = handles[id] else { return }
            if let tunnel = try tunnel(of: id) {
                return try drain(guest, id, through: tunnel, limit)
            }
            var bytes: [UInt8] = []
            let drained = room.drain(guest, limit: limit, now: now) { output in
                let count = min(output.count, limit - bytes.count)
                bytes += output.prefix(count)
                return count
            }
            try witnesses[id]?.take(bytes)
            guard drained == .forGood else { return }
            try lose(id)
        }

        /// As `SecureSocket`: at most `limit` bytes on the wire, and a record at most that waits.
        private mutating func drain(
            _ guest: Room.Handle, _ id: ConnectionID, through tunnel: TLSTunnel, _ limit: Int
        ) throws(BrokenProperty) {
            var left = limit
            var pieces: [[UInt8]] = []
            let drained = try room.drain(guest, limit: limit, now: now) {
                output throws(BrokenProperty) in
                var taken = 0
                pieces += try tunnel.flush(tunnel.host, &left)
                while taken < output.count, !tunnel.host.hasOutput {
                    taken += try tunnel.put(Array(output.dropFirst(taken)), at: tunnel.host)
                    pieces += try tunnel.flush(tunnel.host, &left)
                }
                return taken
            }
            pieces += try tunnel.flush(tunnel.host, &left)
            for piece in pieces { try witnesses[id]?.take(piece) }
            if drained == .forGood, !tunnel.host.hasOutput { try lose(id) }
        }

        private mutating func pass(_ time: Duration) throws(BrokenProperty) {
            now = now.advanced(by: time)
            try perform(room.tick(now))
        }

        private mutating func lose(_ id: ConnectionID) throws(BrokenProperty) {
            try perform(room.disconnected(id, why: Room.closedByPeer, now: now))
            (witnesses[id], tunnels[id], handles[id]) = (nil, nil, nil)
        }

        private mutating func perform(_ actions: [Room.Action]) throws(BrokenProperty) {
            for action in actions {
                switch action {
                case .send: continue
                case .close(let id):
                    handles[id] = nil
                    try expect(witnesses.removeValue(forKey: id) != nil, "closes \(id) again")
                case .report(let event): try HostWitness.check(event)
                case .voice: throw BrokenProperty("a voice, where none is offered")
                }
            }
        }

        // MARK: What holds

        func checkBooks() throws(BrokenProperty) {
            let counts = room.counts
            try expect(counts.syncing + counts.stable <= HostProperties.guests, "\(counts)")
            try expect(room.connectionCount == witnesses.count, "forgot a connection's end")
            for report in room.guestReports(now: now) { try HostWitness.check(report) }
        }

        /// Everybody who is still there gets everything, a goodbye, and is let go.
        mutating func end() throws(BrokenProperty) {
            log.seal()
            for id in witnesses.keys.sorted() { try drain(id) }
            for (id, witness) in witnesses where witness.isAccepted {
                let newest = log.lastSeq
                try expect(
                    witness.isProven || !witness.provesLines, "\(id) holds what nobody signed")
                try expect(
                    witness.newest == newest, "\(id) has \(witness.newest ?? 0) of \(newest)")
            }
            try perform(room.finish(.ended, "over", now: now))
            for id in witnesses.keys.sorted() { try drain(id) }
            for _ in 0..<70 { try pass(.seconds(1)) }
            try expect(!room.hasConnections, "\(room.connectionCount) connections never end")
        }
    }
}
