import NIOCore

/// What is to be encrypted, piece by piece: an answer comes as its header, its lengths and its bytes,
/// and goes as few records.
///
/// Invariant: `pieces` are in the order in which they came, each with what of it is left.
struct PlaintextQueue {
    private var pieces: CircularBuffer<(bytes: ByteBuffer, written: EventLoopPromise<Void>?)> = []

    var isEmpty: Bool { pieces.isEmpty }

    /// - Parameter written: to be kept when the last of `bytes` is with the kernel.
    mutating func append(_ bytes: ByteBuffer, _ written: EventLoopPromise<Void>?) {
        pieces.append((bytes, written))
    }

    /// The next bytes, which may be none where somebody waits for their being written all the same.
    mutating func next(atMost limit: Int) -> (bytes: ByteBuffer, written: EventLoopPromise<Void>?) {
        var record = ByteBuffer()
        var promises: [EventLoopPromise<Void>] = []
        while let piece = pieces.first {
            var rest = piece.bytes
            let room = limit - record.readableBytes
            if var part = rest.readSlice(length: min(room, rest.readableBytes)) {
                if record.readableBytes == 0 { record = part } else { record.writeBuffer(&part) }
            }
            guard rest.readableBytes == 0 else {
                pieces[pieces.startIndex].bytes = rest
                break
            }
            pieces.removeFirst()
            piece.written.map { promises.append($0) }
        }
        for other in promises.dropFirst() { promises[0].futureResult.cascade(to: other) }
        return (record, promises.first)
    }

    /// Tells all who wait that nothing more will be written.
    mutating func fail(_ error: any Error) {
        while let piece = pieces.popFirst() { piece.written?.fail(error) }
    }
}
