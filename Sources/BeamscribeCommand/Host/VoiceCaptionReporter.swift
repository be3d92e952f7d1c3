import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import Logging

/// Tells the operator what becomes of the commands of `--caption-voice`.
struct VoiceCaptionReporter: Reporter {
    let logger: Logger

    func report(_ news: VoiceCaptionNews, on channel: String) {
        let command = "The command of --caption-voice \(channel)"
        switch news {
        case .began(let name):
            say("What \(name) says on \(channel) becomes captions.", "voice_captioned")
        case .full(let name):
            warn(
                "What \(name) says on \(channel) becomes no captions: \(Limits.captionedTalkers) others are "
                    + "listened to already. It does once one of them has gone.",
                "voice_not_captioned")
        case .ended(let outcome, let words, let pause, let name):
            warn(
                "\(command) for \(name) \(outcome.words); it is started again in "
                    + "\(Int(saturating: pause.seconds)) s.\(words.isEmpty ? "" : " Its last words:")",
                "voice_command_ended")
            words.forEach { say("    \($0)", "voice_command_words") }
        case .cannotRun(_, let words):
            warn(
                "\(command) cannot be run\(words.last.map { ": \($0)" } ?? ""). What is said there becomes "
                    + "no captions; mend the command, and start the host again.",
                "voice_command_missing")
        case .behind(let name):
            warn(
                "\(command) is slower than \(name) talks: some of what was said is left out. A smaller "
                    + "model may keep up.", "voice_command_behind")
        case .finishing(let name):
            say(
                "The event is at its end; what \(name) has said last is waited for, "
                    + "\(Int(saturating: Limits.lastWords.seconds)) s at most. Ctrl-C ends it now.",
                "voice_finishing")
        }
    }
}
