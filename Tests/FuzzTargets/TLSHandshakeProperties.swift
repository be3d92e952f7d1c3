import BeamscribeTLS

/// Somebody between host and guest changes, cuts, repeats and swaps what they say, in the
/// handshake and after it: what comes out was put in, in its order; and the host is who it is.
enum TLSHandshakeProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        var wire = try Wire()
        for _ in 0..<8 where !wire.isOver { try wire.turn(&choices) }
    }

    private struct Wire {
        let tunnel: TLSTunnel
        var isOver = false
        /// Records that went by, for whoever repeats them.
        var overheard: [[UInt8]] = []

        init() throws(BrokenProperty) {
            tunnel = try TLSTunnel()
        }

        mutating func turn(_ choices: inout Choices) throws(BrokenProperty) {
            for (from, to) in [(tunnel.guest, tunnel.host), (tunnel.host, tunnel.guest)]
            where !isOver {
                if from.isEstablished, !from.hasOutput {
                    let said = Array("from \(choices.below(100)) ".utf8)
                    _ = try tunnel.put(said, at: from)
                }
                let sent = change(records(tunnel.output(of: from)), &choices)
                let half = sent.count / 2
                for part in [sent[..<half], sent[half...]] where !isOver {
                    let (pieces, error) = tunnel.take(Array(part), to: to)
                    try tunnel.note(pieces, at: to)
                    isOver = error != nil
                }
                try checkEnds()
            }
        }

        private func checkEnds() throws(BrokenProperty) {
            let (host, guest) = (tunnel.host, tunnel.guest)
            try expect(!host.isEstablished || guest.isEstablished, "only the host is done")
            if guest.isEstablished {
                try expect(guest.hostFingerprint == TLSContexts.fingerprint, "another's key")
            }
        }

        // MARK: Who is in between

        /// The records of a flight (RFC 8446, section 5.1).
        private func records(_ flight: [UInt8]) -> [[UInt8]] {
            var records: [[UInt8]] = []
            var rest = flight[...]
            while !rest.isEmpty {
                let header = Array(rest.prefix(5))
                let length = header.count < 5 ? 0 : Int(header[3]) << 8 | Int(header[4])
                records.append(Array(rest.prefix(5 + length)))
                rest = rest.dropFirst(5 + length)
            }
            return records
        }

        private mutating func change(_ flight: [[UInt8]], _ choices: inout Choices) -> [UInt8] {
            var records = flight
            overheard = Array((overheard + flight).suffix(32))
            for _ in 0..<choices.below(4) where !records.isEmpty {
                let index = choices.below(min(records.count, 256))
                switch choices.below(10) {
                case 0: flip(&records[index], &choices)
                case 1: records[index].removeLast(min(records[index].count, choices.below(256)))
                case 2: records.append(records[index])
                case 3: records.swapAt(index, records.count - 1)
                case 4: records.remove(at: index)
                case 5: records.insert(overheard[choices.below(overheard.count)], at: index)
                case 6: records.insert(choices.stretch(), at: index)
                case 7: insert(&records[index], &choices)
                case 8: split(&records, index, &choices)
                default: set(&records[index], &choices)
                }
            }
            return records.flatMap(\.self)
        }

        private func place(in record: [UInt8], _ choices: inout Choices) -> Int {
            Int(choices.short()) % max(1, record.count)
        }

        private func flip(_ record: inout [UInt8], _ choices: inout Choices) {
            guard !record.isEmpty else { return }
            record[place(in: record, &choices)] ^= 1 << (choices.byte() % 8)
        }

        private func set(_ record: inout [UInt8], _ choices: inout Choices) {
            guard !record.isEmpty else { return }
            record[place(in: record, &choices)] = choices.byte()
        }

        private func insert(_ record: inout [UInt8], _ choices: inout Choices) {
            record.insert(contentsOf: choices.stretch(), at: place(in: record, &choices))
        }

        /// One record's content in two, which TLS allows for a handshake.
        private func split(
            _ records: inout [[UInt8]], _ index: Int, _ choices: inout Choices
        ) {
            let record = records[index]
            guard record.count > 6 else { return }
            let cut = 1 + place(in: Array(record.dropFirst(6)), &choices)
            let content = record.dropFirst(5)
            let parts = [content.prefix(cut), content.dropFirst(cut)].map { part -> [UInt8] in
                let length = [UInt8(part.count >> 8), UInt8(part.count & 0xFF)]
                return record.prefix(3) + length + part
            }
            records.replaceSubrange(index...index, with: parts)
        }
    }
}
