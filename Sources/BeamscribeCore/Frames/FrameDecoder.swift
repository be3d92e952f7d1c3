/// Takes a stream of bytes in any chunking and yields the payloads of its frames.
///
///      0               4                      4 + N
///     +---------------+----------------------+
///     | N, big-endian | payload, N bytes     |   1 <= N <= limit
///     +---------------+----------------------+
///
/// A payload that lies whole in a chunk is yielded from where it lies. Only a frame that is torn
/// over chunks is gathered in a buffer of the decoder's own, so no byte is copied twice.
///
/// Invariant: `gathered` holds the beginning of exactly one incomplete frame, and its capacity is
/// reserved only after the frame's length was found to be within the limit.
public struct FrameDecoder {
    /// The bytes of a frame's length field.
    public static let prefixLength = 4

    /// A frame of length 0: nothing follows (docs/PROTOCOL.md, "Over Bluetooth").
    public static let endMark: [UInt8] = [0, 0, 0, 0]

    /// The largest payload accepted, in bytes.
    public private(set) var limit: Int

    private var gathered: [UInt8] = []

    /// Whether a length of 0 is the mark that nothing follows, and no error. Channels over
    /// Bluetooth need one: they tell no end from a failure.
    public let takesEndMark: Bool

    /// - Parameter limit: the largest payload accepted, in bytes.
    public init(limit: Int = Limits.framePayload, takesEndMark: Bool = false) {
        self.limit = limit
        self.takesEndMark = takesEndMark
    }

    /// Takes larger payloads from now on.
    mutating func raise(limit: Int) { self.limit = max(self.limit, limit) }

    /// Whether the stream ended, or paused, inside a frame.
    public var isInsideFrame: Bool { !gathered.isEmpty }

    /// Consumes `chunk` and calls `body` once for each payload that it completes.
    ///
    /// - Parameter body: gets the payload, valid during the call, and returns whether to go on;
    ///   after `false` the rest of the chunk is dropped.
    /// - Throws: ``FrameError`` for a length of 0 or over the limit; the stream cannot be
    ///   followed after it, or has ended.
    public mutating func decode(
        _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(FrameError) {
        var rest = chunk[...]
        if !gathered.isEmpty {
            guard let goesOn = try complete(with: &rest, body), goesOn else { return }
        }
        while let length = try length(of: rest), rest.count >= Self.prefixLength + length {
            let start = rest.startIndex + Self.prefixLength
            let end = start + length
            guard body(UnsafeRawBufferPointer(rebasing: chunk[start..<end])) else { return }
            rest = chunk[end...]
        }
        if let length = try length(of: rest) {
            gathered.reserveCapacity(Self.prefixLength + length)
        }
        gathered.append(contentsOf: rest)
    }

    /// Completes the gathered frame from `rest`. Returns what `body` said, or nil if the frame is
    /// still incomplete.
    private mutating func complete(
        with rest: inout Slice<UnsafeRawBufferPointer>, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(FrameError) -> Bool? {
        gather(upTo: Self.prefixLength, from: &rest)
        guard gathered.count >= Self.prefixLength else { return nil }
        let length = try checked(gathered.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        let whole = Self.prefixLength + length
        gathered.reserveCapacity(whole)
        gather(upTo: whole, from: &rest)
        guard gathered.count == whole else { return nil }
        let goesOn = gathered.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[Self.prefixLength...]))
        }
        gathered.removeAll(keepingCapacity: whole <= Limits.guestFramePayload)
        return goesOn
    }

    private mutating func gather(upTo count: Int, from rest: inout Slice<UnsafeRawBufferPointer>) {
        let taken = rest.prefix(max(0, count - gathered.count))
        gathered.append(contentsOf: taken)
        rest = rest[taken.endIndex...]
    }

    /// The payload's length at the start of `bytes`, nil while its four bytes are not all there.
    private func length(
        of bytes: Slice<UnsafeRawBufferPointer>
    ) throws(FrameError) -> Int? {
        guard bytes.count >= Self.prefixLength else { return nil }
        return try checked(
            UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: UInt32.self).bigEndian)
    }

    private func checked(_ field: UInt32) throws(FrameError) -> Int {
        let length = Int(field)
        guard length > 0 else { throw takesEndMark ? .end : .empty }
        guard length <= limit else {
            throw .tooLong(
                length: length, limit: limit, foreign: ForeignProtocol(lengthField: field))
        }
        return length
    }
}
