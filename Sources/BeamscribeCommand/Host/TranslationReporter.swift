import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Tells the operator what becomes of the commands of `--translate`.
struct TranslationReporter: Reporter {
    let logger: Logger
    /// Lines were left without a translation, by language.
    private var hasLeft: Set<String> = []

    init(logger: Logger) { self.logger = logger }

    mutating func report(_ news: TranslationNews, into language: String) {
        let command = "The command of --translate \(language)"
        switch news {
        case .ended(let outcome, let words, let pause):
            warn(
                "\(command) \(outcome.words); it is started again in \(Int(saturating: pause.seconds)) s. "
                    + "The captions go on.\(words.isEmpty ? "" : " Its last words:")",
                "translator_ended")
            words.forEach { say("    \($0)", "translator_words") }
        case .gaveUp(_, let words):
            warn(
                "\(command) cannot be run\(words.last.map { ": \($0)" } ?? ""). The captions go on "
                    + "without it; try it by hand with `echo text | ...`, and start the host again.",
                "translator_missing")
        case .silent(let time):
            warn(
                "\(command) has not answered for \(Int(saturating: time.seconds)) s and is started again. It has to "
                    + "print a line for each that it reads, at once.", "translator_silent")
        case .left(let line): tellLeft(line, language)
        case .unasked:
            warn(
                "\(command) prints more lines than it reads: translations may stand at other lines "
                    + "than theirs. It has to print one for each.", "translator_unasked")
        case .behind(let time):
            warn(
                "The translation (\(language)) is \(Int(saturating: time.seconds)) s behind: the command is slower "
                    + "than the speaker.", "translation_behind")
        case .caughtUp: say("The translation (\(language)) has caught up.", "translation_caught_up")
        case .finishing(let lines):
            say(
                "Waiting for the translation (\(language)) of \(plural(lines, "line")); Ctrl-C waits no "
                    + "longer.", "translating")
        case .unfinished(let lines):
            warn(
                "\(plural(lines, "line")) \(lines == 1 ? "has" : "have") no translation (\(language)).",
                "untranslated")
        }
    }

    /// The next may be like this one.
    private mutating func tellLeft(_ line: Int, _ language: String) {
        let isFirst = hasLeft.insert(language).inserted
        log(
            isFirst ? .warning : .debug, "Line \(line) stays without a translation (\(language)).",
            "untranslated")
    }
}
