/// Reads a target's input as choices and stretches of bytes. Past the end every choice is 0 and
/// every stretch is empty, so that any bytes at all are an input.
struct Choices {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// One of `options`, which must not be empty.
    mutating func pick<Option>(_ options: [Option]) -> Option {
        options[Int(byte()) % options.count]
    }

    /// A number below `end`, which must be at most 256.
    mutating func below(_ end: Int) -> Int {
        Int(byte()) % end
    }

    /// Two bytes, big-endian.
    mutating func short() -> UInt16 {
        UInt16(byte()) << 8 | UInt16(byte())
    }

    /// A byte that says how many follow, and those.
    mutating func stretch() -> [UInt8] {
        let count = Int(byte())
        let taken = rest.prefix(count)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }

    mutating func text() -> String {
        String(decoding: stretch(), as: UTF8.self)
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = rest.dropFirst(rest.count) }
        return Array(rest)
    }
}
