import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import Synchronization

/// What the command of `talk --exec` is run for: each begin and each end of a talk.
final class TalkExec: Sendable {
    /// As many as a command may fall behind: what is older is no news.
    private static let kind = ExecRunner.Kind(
        noun: "talk", whole: "voices", limit: 16, trial: "echo Ann talks | ...")

    private let runner: ExecRunner
    private let state: Mutex<TalkRuns>

    /// - Parameters:
    ///   - channel: where one's own voice goes; nil for nowhere.
    ///   - tell: takes warnings.
    init(
        _ command: ShellCommand, on channel: String?, tell: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        runner = try ExecRunner(command, for: Self.kind, tell: tell)
        state = Mutex(TalkRuns(on: channel))
    }

    /// Queues what an event brings.
    func take(_ event: IntercomEvent) {
        guard case .session(let event) = event else { return }
        runner.take(state.withLock { $0.runs(for: event) })
    }

    /// The event is called so.
    func setEvent(_ name: String) { state.withLock { $0.event = name } }

    /// Waits for what waits, but not long, and says what has gone wrong.
    func close() async { await runner.close() }
}

/// Which runs of the command the events of an intercom ask for.
///
/// Invariant: no talk ends that has not begun.
struct TalkRuns {
    private struct Person: Hashable {
        let name: String
        let channel: String
    }

    /// The event's name.
    var event = ""
    /// Where one's own voice goes; nil for nowhere.
    private var channel: String?
    private var isHeard = false
    /// How many of that name talk there.
    private var talking: [Person: Int] = [:]

    init(on channel: String?) { self.channel = channel }

    /// The runs for an event, in order.
    mutating func runs(for event: VoiceEvent) -> [ExecRun] {
        switch event {
        case .person(let name, let channel, let news):
            return run(of: Person(name: name, channel: channel), news).map { [$0] } ?? []
        case .talk(.began): return setHeard(true)
        case .talk(.ended), .talk(.fellBack): return setHeard(false)
        case .moved(let channel): self.channel = channel
        case .apart:
            let all = talking.keys.sorted { ($0.name, $0.channel) < ($1.name, $1.channel) }
            let runs = all.map { run(of: $0, begins: false) } + setHeard(false)
            talking = [:]
            return runs
        default: break
        }
        return []
    }

    private mutating func run(of person: Person, _ news: VoiceEvent.PersonNews) -> ExecRun? {
        switch news {
        case .talks:
            talking[person, default: 0] += 1
            return run(of: person, begins: true)
        case .stopped, .left:
            guard let count = talking[person] else { return nil }
            talking[person] = count > 1 ? count - 1 : nil
            return run(of: person, begins: false)
        case .came: return nil
        }
    }

    private func run(of person: Person, begins: Bool) -> ExecRun {
        let what = begins ? "talks" : "has stopped"
        return run(
            "\(person.name) \(what) (\(person.channel)).", by: person.name, on: person.channel,
            begins: begins)
    }

    private mutating func setHeard(_ isHeard: Bool) -> [ExecRun] {
        guard self.isHeard != isHeard else { return [] }
        self.isHeard = isHeard
        let words = isHeard ? "You are heard." : "You are not heard."
        return [run(words, by: nil, on: channel, begins: isHeard)]
    }

    /// - Parameter name: nil for one's own.
    private func run(
        _ words: String, by name: String?, on channel: String?, begins: Bool
    ) -> ExecRun {
        ExecRun(
            input: words + "\n",
            variables: [
                "BEAMSCRIBE_TALK": begins ? "begins" : "ends",
                "BEAMSCRIBE_SPEAKER": name,
                "BEAMSCRIBE_CHANNEL": channel,
                "BEAMSCRIBE_EVENT": event,
            ], subject: "\"\(words)\"")
    }
}
