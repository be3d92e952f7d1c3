/// What readers get who are no guests of the wire. They read the same transcript, by a cursor of
/// their own.
extension HostSession {
    /// Where a reader begins who has every final up to `seq`. A number beyond the newest is of
    /// another session: such a reader has nothing.
    public func feedPosition(after seq: Int) -> FeedPosition {
        let next = (0...transcript.lastSeq).contains(seq) ? seq + 1 : 1
        var cursor = transcript.cursor(before: next)
        // Where that line is gone, the first look tells of the gap.
        cursor.seq = min(cursor.seq, next)
        return FeedPosition(cursor: cursor)
    }

    /// Hands a reader what follows its position, and moves it: finals, and once there are none left
    /// alerts and the newest partials, and in the end the last word.
    ///
    /// To be called between two batches, when what was published is stored.
    ///
    /// - Parameters:
    ///   - limit: about how many bytes of finals to give.
    ///   - take: gets the items; their payloads are valid during the call.
    public func read(
        _ position: inout FeedPosition, limit: Int, _ take: (FeedItem) -> Void
    ) -> FeedOutcome {
        if position.cursor.seq < transcript.firstSeq {
            take(.gap(position.cursor.seq...transcript.firstSeq - 1))
            position.cursor = transcript.cursor(before: transcript.firstSeq)
            // Partials of lines whose finals are gone must not stay.
            position.partialStamp = 0
        }
        guard readFinals(&position.cursor, limit: limit, take) else { return .more }
        readAlerts(&position, take)
        for frame in register.frames(after: position.partialStamp) {
            Self.withPayload(of: frame) { take(.partial($0)) }
        }
        position.partialStamp = register.newestStamp
        guard let farewell else { return .drained }
        if !position.hasFarewell, let frame = try? encoder.frame(.alert(farewell)) {
            Self.withPayload(of: frame) { take(.alert($0)) }
        }
        position.hasFarewell = true
        return .over
    }

    /// Whether the reader got all of them.
    private func readFinals(
        _ cursor: inout TranscriptCursor, limit: Int, _ take: (FeedItem) -> Void
    ) -> Bool {
        var left = limit
        while case let bytes = transcript.bytes(at: cursor), !bytes.isEmpty {
            guard left > 0 else { return false }
            var (count, seq) = (0, cursor.seq)
            while count < bytes.count, count < left {
                let length = bytes.loadUnaligned(fromByteOffset: count, as: UInt32.self)
                let start = count + FrameDecoder.prefixLength
                count = start + Int(UInt32(bigEndian: length))
                take(.final(seq: seq, UnsafeRawBufferPointer(rebasing: bytes[start..<count])))
                seq += 1
            }
            transcript.advance(&cursor, by: count)
            left -= count
        }
        return true
    }

    /// Whoever looks for the first time is told what holds, not what was said before he came.
    private func readAlerts(_ position: inout FeedPosition, _ take: (FeedItem) -> Void) {
        if let stamp = position.alertStamp {
            for frame in alerts.frames(after: stamp) {
                Self.withPayload(of: frame) { take(.alert($0)) }
            }
        } else {
            for frame in standing.alerts.compactMap({ try? encoder.frame(.alert($0)) }) {
                Self.withPayload(of: frame) { take(.alert($0)) }
            }
        }
        position.alertStamp = alerts.newestStamp
    }

    private static func withPayload(
        of frame: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        frame.withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[FrameDecoder.prefixLength...]))
        }
    }
}
