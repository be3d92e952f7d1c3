import BeamscribeCore
import BeamscribeIO

extension SessionLog {
    /// Bytes that are read at once: about 2,000 lines.
    static let piece = 262_144

    /// Reads all of the log, to find what is whole in it.
    func survey() throws(SystemError) -> JournalSurvey {
        var survey = JournalSurvey()
        var next: UInt64? = 0
        while let offset = next {
            let bytes = try bytes(from: offset, limit: Self.piece)
            next = bytes.withUnsafeBytes { survey.read($0, at: offset) }
        }
        return survey
    }
}
