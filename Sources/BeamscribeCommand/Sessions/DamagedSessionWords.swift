import BeamscribeIO

/// Words for people about a session whose record is damaged.
enum DamagedSessionWords {
    /// Says which sessions are left out of what follows.
    static func warn(of store: SessionStore) {
        store.damaged().forEach { say("warning: \(sentence($0))") }
    }

    private static func sentence(_ damaged: DamagedSession) -> String {
        let path = ShellWord(damaged.path).quoted
        return "session \(damaged.session.prefix(8)) is left out: its file meta.json is damaged. "
            + "Its lines are there: beamscribe export \(path)"
    }
}
