/// What `host --run` has to choose from. A host takes its captions from anywhere, so that nothing here
/// is more than a note.
enum RecogniserCheck {
    static func result(_ search: RecogniserSearch, on machine: Machine) -> CheckResult {
        guard let best = search.found.first else {
            let found = ["There is no recogniser that `host --run` knows."] + search.lacking
            return CheckResult(
                .recogniser, .note, found.joined(separator: " "), search.advice(on: machine))
        }
        let others = search.found.dropFirst().map(\.title).joined(separator: ", ")
        let more = others.isEmpty ? "" : " Also here: \(others)."
        let lacking = search.lacking.map { " " + $0 }.joined()
        let found =
            "`host --run` starts \(best.title), model \(best.model), with \(search.microphone.words)."
            + more + lacking
        if search.microphone == .none {
            return CheckResult(
                .recogniser, .note, found,
                "Connect a microphone; `arecord -l`, or `pactl list short sources`, shows whether it is known."
            )
        }
        return .ok(.recogniser, found)
    }
}
