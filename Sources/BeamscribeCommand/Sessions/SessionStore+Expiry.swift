import BeamscribeCore
import BeamscribeIO

extension SessionStore {
    /// Deletes what was to be kept no longer than until now, and says so.
    func forgetExpired() {
        for event in deleteExpired(now: Clock.wall) {
            say("\"\(SafeText.line(event))\" was kept for as long as it was to be, and is deleted.")
        }
    }
}
