import BeamscribeCore

/// Changes an input as a fuzzer does, but from a seed, so that a failure comes again.
struct Mutation {
    private var generator: SeededGenerator
    private let inputs: [[UInt8]]
    private let words: [[UInt8]]

    /// - Parameter inputs: what to begin with; must not be empty.
    init(of inputs: [[UInt8]], words: [String], seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.inputs = inputs
        self.words = words.map { Array($0.utf8) }
    }

    /// One of the inputs with up to eight changes, at most `longest` bytes of it.
    mutating func next(longest: Int) -> [UInt8] {
        var bytes = inputs.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...8, using: &generator) { change(&bytes) }
        return Array(bytes.prefix(longest))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes.insert(.random(in: 0...255, using: &generator), at: place)
        case 1: bytes.replaceSubrange(place..., with: otherTail())
        case 2: bytes.insert(contentsOf: words.randomElement(using: &generator) ?? [0], at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + 4))
        case 4 where place < bytes.count:
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        default:
            guard place < bytes.count else { return }
            bytes[place] = .random(in: 0...255, using: &generator)
        }
    }

    private mutating func otherTail() -> [UInt8] {
        let other = inputs.randomElement(using: &generator) ?? []
        return Array(other.suffix(Int.random(in: 0...other.count, using: &generator)))
    }
}
