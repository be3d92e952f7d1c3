import Beamscribe
import BeamscribeIO
import BeamscribeVoice

/// Whether voices can be heard and said here. Captions need nothing of it, so that nothing is more than a note.
enum SoundCheck {
    enum Findings: Equatable, Sendable {
        /// The program was built without voices.
        case notBuilt
        /// There is no sound to be had: why.
        case none(String)
        /// What there is: where it is had, how many microphones and loudspeakers, and whether sound goes before
        /// other work (nil where that could not be tried in time).
        case devices(server: String, microphones: Int, speakers: Int, isInTime: Bool?)
    }

    static func result(_ findings: Findings, on machine: Machine) -> CheckResult {
        switch findings {
        case .notBuilt:
            note(
                "This beamscribe was built without voices: `talk` and `listen` are not to be had.",
                "Nothing is needed for captions; docs/INSTALL.md says what building them takes.")
        case .none(let why):
            note("There is no sound for `talk` and `listen`: \(why).", server(on: machine))
        case .devices(let server, 0, 0, _):
            note(
                "\(server) knows no microphone and no loudspeaker.",
                "Connect one for `talk` and `listen`; captions need none.")
        case .devices("ALSA", _, _, _):
            note(
                "PipeWire does not run; of ALSA's devices only an attempt tells whether they work.",
                "Try them with `beamscribe talk --try`.")
        case .devices(let server, let microphones, let speakers, let isInTime):
            devices(
                "\(server) has \(plural(microphones, "microphone")) and \(plural(speakers, "loudspeaker"))",
                isInTime, machine)
        }
    }

    private static func devices(
        _ found: String, _ isInTime: Bool?, _ machine: Machine
    ) -> CheckResult {
        switch isInTime {
        case true?: return .ok(.sound, "\(found), and sound goes before other work.")
        case nil: return .ok(.sound, "\(found).")
        case false?:
            let install = machine.install("rtkit", "rtkit")
            return note(
                "\(found), but the system does not let sound go before other work: it may stutter.",
                install.map { "Install RealtimeKit with \($0)." }
                    ?? "Install RealtimeKit (rtkit), or raise LimitRTPRIO.")
        }
    }

    private static func server(on machine: Machine) -> String {
        let install = machine.install("pipewire wireplumber", "pipewire wireplumber")
        return install.map { "If you want it: PipeWire gives it (\($0))." }
            ?? "If you want it: install PipeWire and WirePlumber."
    }

    private static func note(_ found: String, _ advice: String) -> CheckResult {
        CheckResult(.sound, .note, found, advice)
    }
}

extension SoundCheck.Findings {
    /// Asks the sound server, and for no longer than `patience`.
    static func collect(within patience: Duration) async -> SoundCheck.Findings {
        guard VoiceLibraries.areHere else { return .notBuilt }
        // A thread of its own goes with the question.
        let isInTime = await BlockingCall.run(within: patience) { VoiceLibraries.hurry() }
        do throws(IntercomError) {
            let found = try await SoundDevices.list(within: patience)
            let count = { (direction: SoundDevice.Direction) in
                found.all.count { $0.direction == direction }
            }
            return .devices(
                server: found.server, microphones: count(.microphone), speakers: count(.speaker),
                isInTime: isInTime)
        } catch {
            return .none("\(error)")
        }
    }
}
