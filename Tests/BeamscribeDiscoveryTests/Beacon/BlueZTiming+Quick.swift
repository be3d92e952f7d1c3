@testable import BeamscribeDiscovery

extension BlueZTiming {
    /// Patience enough for a busy machine, and short pauses.
    static var quick: BlueZTiming {
        var timing = BlueZTiming()
        timing.retryInterval = .milliseconds(300)
        timing.busyInterval = .milliseconds(100)
        timing.idleLimit = .milliseconds(300)
        timing.renewalDelay = .milliseconds(50)
        timing.releaseInterval = .milliseconds(100)
        timing.troubleDelay = .milliseconds(50)
        timing.settlingTime = .milliseconds(200)
        return timing
    }

    /// For a daemon that does not answer.
    static var impatient: BlueZTiming {
        var timing = quick
        timing.callLimit = .milliseconds(500)
        return timing
    }
}
