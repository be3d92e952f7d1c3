import BeamscribeCore
import Testing

@Suite struct FrameDecoderTests {
    @Test func decoder_yieldsEveryPayloadOnce_whateverTheChunking() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<400 {
            let payloads = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                randomBytes(1...Int.random(in: 1...400, using: &generator), &generator)
            }
            let stream = payloads.flatMap(framed)
            #expect(try decode(stream, inChunksOf: stream.count) == payloads)
            #expect(try decode(stream, inChunksOf: 1) == payloads)
            #expect(try decode(stream, random: &generator) == payloads)
        }
    }

    @Test func decoder_keepsTheBeginning_ofAnIncompleteFrame() throws {
        var decoder = FrameDecoder()
        try feed(Array(framed([1, 2, 3]).dropLast()), to: &decoder) { _ in
            Issue.record("nothing is complete")
            return true
        }
        #expect(decoder.isInsideFrame)
        var payloads: [[UInt8]] = []
        try feed([3], to: &decoder) {
            payloads.append(Array($0)); return true
        }
        #expect(payloads == [[1, 2, 3]])
        #expect(!decoder.isInsideFrame)
    }

    @Test func decoder_throws_atLengthZero() {
        #expect(throws: FrameError.empty) { try decode([0, 0, 0, 0], inChunksOf: 4) }
        #expect(throws: FrameError.empty) { try decode([0, 0, 0, 0], inChunksOf: 1) }
    }

    @Test(arguments: [10_485_761, 0xFFFF_FFFF])
    func decoder_throws_aboveTheLimit(length: Int) {
        let field = lengthField(length)
        #expect(throws: FrameError.self) { try decode(field, inChunksOf: 4) }
        #expect(throws: FrameError.self) { try decode(field, inChunksOf: 1) }
    }

    @Test func decoder_takesAFrame_ofExactlyTheLimit() throws {
        let payload = [UInt8](repeating: 7, count: 1_000)
        var decoder = FrameDecoder(limit: 1_000)
        var taken: [[UInt8]] = []
        try feed(framed(payload), to: &decoder) {
            taken.append(Array($0)); return true
        }
        #expect(taken == [payload])
    }

    @Test func decoder_stops_whenTheBodySaysSo() throws {
        var decoder = FrameDecoder()
        var count = 0
        try feed(framed([1]) + framed([2]), to: &decoder) { _ in
            count += 1
            return false
        }
        #expect(count == 1)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n", "HTTP"), ("\u{16}\u{03}\u{01}\u{02}", "TLS"), ("SSH-2.0", "another"),
    ])
    func error_namesTheProtocol_thatIsSpokenInstead(bytes: String, word: String) {
        do {
            _ = try decode(Array(bytes.utf8), inChunksOf: 64)
            Issue.record("\(bytes) is no frame")
        } catch {
            #expect("\(error)".contains(word))
        }
    }

    // MARK: Feeding

    private func decode(_ stream: [UInt8], inChunksOf size: Int) throws -> [[UInt8]] {
        try decode(
            stride(from: 0, to: stream.count, by: size).map {
                Array(stream[$0..<min($0 + size, stream.count)])
            })
    }

    private func decode(
        _ stream: [UInt8], random generator: inout SeededGenerator
    ) throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &generator)
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return try decode(chunks)
    }

    private func decode(_ chunks: [[UInt8]]) throws -> [[UInt8]] {
        var decoder = FrameDecoder()
        var payloads: [[UInt8]] = []
        for chunk in chunks {
            try feed(chunk, to: &decoder) {
                payloads.append(Array($0)); return true
            }
        }
        #expect(!decoder.isInsideFrame)
        return payloads
    }

    private func feed(
        _ bytes: [UInt8], to decoder: inout FrameDecoder, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws {
        // A copy of exactly this size: reading past its end would be found by a sanitizer.
        try bytes.withUnsafeBytes { try decoder.decode($0, body) }
    }
}

/// `payload` with its length before it.
func framed(_ payload: [UInt8]) -> [UInt8] {
    lengthField(payload.count) + payload
}

func lengthField(_ length: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
}

func randomBytes(_ range: ClosedRange<Int>, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: range, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
    }
}
