import BeamscribeCore
import BeamscribeIO

extension SessionLog {
    /// Bytes that are read at once: about 2,000 lines.
    static let piece = 262_144

    /// Reads all of the log, to find what is whole in it.
    func survey() throws(SystemError) -> JournalSurvey {
        var survey = JournalSurvey()
        try readAll { survey.read($0, at: $1) }
        return survey
    }
}
