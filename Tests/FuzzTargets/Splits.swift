import BeamscribeCore

/// Ways to cut a stream into what single reads would give.
enum Splits {
    static func bytewise(_ stream: [UInt8]) -> [[UInt8]] {
        stream.map { [$0] }
    }

    /// Pieces of a random length, empty ones among them.
    static func random(_ stream: [UInt8], seed: UInt8) -> [[UInt8]] {
        var generator = SeededGenerator(seed: UInt64(seed))
        // Many tiny pieces of a long stream would take the time of a hundred other inputs.
        let longest = max([2, 5, 17, 100, 2_000][Int(seed) % 5], stream.count / 64)
        var parts: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...longest, using: &generator)
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return parts
    }
}
