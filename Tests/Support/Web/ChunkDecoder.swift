/// Takes the chunks of a body apart (RFC 9112, section 7.1).
///
/// Invariant: `left` is what has not come yet of the chunk that was begun, its line break included.
struct ChunkDecoder {
    /// Whether the last chunk has come.
    private(set) var isOver = false
    private var left = 0
    private var isLast = false

    /// Takes from `bytes` what it can, and returns what it carries.
    mutating func decode(_ bytes: inout [UInt8]) throws -> [UInt8] {
        var body: [UInt8] = []
        var place = 0
        while !isOver {
            if left == 0 {
                guard let size = try Self.size(in: bytes, at: &place) else { break }
                (left, isLast) = (size + 2, size == 0)
            }
            let count = min(left, bytes.count - place)
            body += bytes[place..<place + min(count, max(left - 2, 0))]
            place += count
            left -= count
            guard left == 0 else { break }
            isOver = isLast
        }
        bytes.removeFirst(place)
        return body
    }

    /// The size of the chunk that begins at `place`, which it moves behind it; nil while it is not
    /// all there.
    private static func size(in bytes: [UInt8], at place: inout Int) throws -> Int? {
        guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: bytes[place..<end], as: UTF8.self)
        guard line.hasSuffix("\r"), let size = Int(line.dropLast(), radix: 16) else {
            throw WaitFailed(what: "a chunk", reason: "it has no size", seen: line)
        }
        place = end + 1
        return size
    }
}
