/// The lines of one message of a log's stream: one packet, or several as frames, which begin with a
/// zero byte where a packet begins with a brace.
///
/// A batch ends with a signature, so that it proves itself wherever it stands.
enum LineBatch {
    /// One line: its number by its own word, and its packet.
    struct Line {
        let seq: Int
        let payload: [UInt8]

        var isSigned: Bool { payload.withUnsafeBytes { SignedPayload($0).isSigned } }
    }

    /// Reads a message. It can be anybody's.
    ///
    /// - Returns: nil for anything but finals of the usual size that follow one another.
    static func lines(of message: [UInt8], _ packets: PacketDecoder) -> [Line]? {
        guard message.first == 0 else { return line(message, packets).map { [$0] } }
        guard message.count <= Limits.unprovenBytes else { return nil }
        var (lines, offset) = ([Line](), 0)
        while offset < message.count {
            let start = offset + FrameDecoder.prefixLength
            guard start <= message.count else { return nil }
            let length = message[offset..<start].reduce(0) { $0 << 8 | Int($1) }
            guard length <= message.count - start,
                let line = line(Array(message[start..<start + length]), packets),
                lines.last.map({ $0.seq + 1 == line.seq }) ?? true
            else { return nil }
            lines.append(line)
            offset = start + length
        }
        return lines.isEmpty ? nil : lines
    }

    private static func line(_ payload: [UInt8], _ packets: PacketDecoder) -> Line? {
        guard payload.count <= Limits.journalFramePayload,
            case .liveChunk(let chunk)? = payload.withUnsafeBytes({ try? packets.packet($0) }),
            chunk.isFinal, let seq = chunk.seq, (1...Limits.lineNumber).contains(seq)
        else { return nil }
        return Line(seq: seq, payload: payload)
    }

    /// The message that has these lines.
    static func message(of payloads: [[UInt8]]) -> [UInt8] {
        payloads.count == 1 ? payloads[0] : payloads.flatMap { FrameEncoder.frame($0) }
    }
}
