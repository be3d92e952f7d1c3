import BeamscribeIO

/// What people are told of a session whose record is damaged.
enum DamagedSessionWords {
    static func sentence(_ damaged: DamagedSession) -> String {
        let path = ShellWord(damaged.path).quoted
        return "session \(damaged.session.prefix(8)) is not listed: its file meta.json is damaged. "
            + "Its lines are there: beamscribe export \(path)"
    }
}
