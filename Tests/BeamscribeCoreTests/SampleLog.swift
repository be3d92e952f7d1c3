import BeamscribeCore

/// Logs of sessions, made of frames as a host writes them.
enum SampleLog {
    static func frame(_ seq: Int, _ text: String, replaces: Int? = nil) throws -> [UInt8] {
        var chunk = LiveChunk(
            final: seq, line: "l-\(seq)", text: text, sentTimestamp: 1_000 + Double(seq))
        chunk.replaces = replaces
        return try FrameEncoder().frame(.liveChunk(chunk))
    }

    /// What a survey says of `log` when it is read in pieces of `size` bytes.
    static func survey(
        _ log: [UInt8], within boundaries: RunBoundaries = .init(), pieces size: Int = 262_144
    ) -> JournalSurvey {
        var survey = JournalSurvey(within: boundaries)
        var next: UInt64? = 0
        while let offset = next {
            let piece = log.dropFirst(Int(clamping: offset)).prefix(size)
            next = Array(piece).withUnsafeBytes { survey.read($0, at: offset) }
        }
        return survey
    }

    /// The numbers and texts of what a survey found.
    static func lines(of survey: JournalSurvey, in log: [UInt8]) -> [Int: String] {
        var lines: [Int: String] = [:]
        for stretch in survey.stretches {
            var reader = JournalReader(after: stretch.after)
            Array(
                log[
                    Int(
                        clamping: stretch.bytes.lowerBound)..<Int(
                            clamping: stretch.bytes.upperBound)]
            )
            .withUnsafeBytes { reader.read($0) { lines[$2] = $1.text } }
        }
        return lines
    }
}
