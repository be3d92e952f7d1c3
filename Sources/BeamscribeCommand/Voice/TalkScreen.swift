import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import Synchronization

/// The terminal of somebody who talks or listens: from when he is on his channels until the end. Plain, it draws nothing, and
/// takes keys all the same.
final class TalkScreen: Sendable {
    private struct State {
        var view: TalkView
        var isShown = false
        var event = ""
        var way = "by UDP"
        /// What there is to choose from, as it was shown last.
        var devices: [DeviceChoice] = []
        /// Nil where none are shown.
        var captions: TalkCaptions?
        /// How much louder people are made, in decibels, by their names.
        var volumes: [String: Double] = [:]
        var silenced: Set<String> = []

        func volume(of name: String) -> Double? {
            silenced.contains(name) ? nil : volumes[name] ?? 0
        }
    }

    private let state: Mutex<State>
    private let besides: String
    private let counting: TerminalCounting
    /// Whether nothing is drawn.
    let isPlain: Bool

    /// - Parameters:
    ///   - counting: how columns are counted on the terminal.
    ///   - besides: channels that are heard besides the own.
    ///   - isPlain: whether nothing is drawn.
    ///   - showsCaptions: whether captions are shown, too.
    init(
        _ counting: TerminalCounting, besides: [String], isPlain: Bool, showsCaptions: Bool
    ) {
        self.counting = counting
        (self.besides, self.isPlain) = (besides.map { ", \($0)" }.joined(), isPlain)
        state = Mutex(
            State(
                view: TalkView(
                    size: counting.size(), style: Console.style, showsCaptions: showsCaptions),
                captions: showsCaptions ? TalkCaptions() : nil))
    }

    // MARK: What is shown

    /// Draws from now on.
    func begin() {
        guard !isPlain else { return }
        state.withLock { state in
            guard !state.isShown else { return }
            state.isShown = true
            Self.write(TalkView.beginning)
            if Terminal.isTerminal(.error) {
                state.view.ask(counting.questions(counting.size()))
            }
        }
    }

    /// Where it is.
    func setEvent(_ name: String) { state.withLock { $0.event = SafeText.line(name) } }

    /// By which way packets go.
    func setWay(isTunnelled: Bool) {
        state.withLock { $0.way = isTunnelled ? "by TCP" : "by UDP" }
    }

    /// Shows a line that scrolls away.
    ///
    /// - Returns: whether it is shown; where nothing is drawn it is not.
    func tell(_ line: String) -> Bool {
        state.withLock { state in
            guard state.isShown else { return false }
            state.view.tell(line)
            Self.write(state.view.render())
            return true
        }
    }

    /// Shows the captions among what has happened in the event.
    func take(_ events: [GuestEvent]) {
        state.withLock { state in
            guard let finals = state.captions?.take(events) else { return }
            if isPlain { return finals.forEach { Self.write(SafeText.line($0) + "\n") } }
            finals.forEach { state.view.add(caption: $0) }
            if state.isShown { Self.write(state.view.render()) }
        }
    }

    /// Shows how things stand.
    func show(
        _ own: IntercomState, _ others: [VoicePersonState], _ devices: [DeviceChoice]
    ) {
        state.withLock { state in
            let kinds = SoundDevice.Direction.allCases
            state.devices = kinds.flatMap { kind in
                devices.filter { $0.device.direction == kind }
            }
            var content = TalkContent()
            content.state = TalkState(own)
            content.level = own.isMicrophoneOpen ? own.level : nil
            content.place = "\(state.event) · \(own.channel ?? "")\(besides) · \(state.way)"
            content.caption = state.captions?.newest
            content.help = Self.help
            content.devices = state.devices.map { TalkDevice($0) }
            content.people = others.map { person in
                TalkPerson(person, volume: state.volume(of: person.name))
            }
            state.view.show(content)
            if state.isShown { Self.write(state.view.render()) }
        }
    }

    /// The terminal is another now.
    func resize() {
        state.withLock { state in
            state.view.resize(counting.size())
            if state.isShown { Self.write(state.view.render()) }
        }
    }

    /// Leaves the terminal as it was.
    func end() {
        state.withLock { state in
            guard state.isShown else { return }
            state.isShown = false
            Self.write(state.view.finish() + TalkView.ending)
        }
    }

    private static let help = [
        "m      do not be heard any more",
        "1-9    choose somebody; up and down make him louder and quieter, x silences him",
        "c      go to the next channel of the host",
        "d      show the microphones and loudspeakers, 1-9 use one of them",
        "q      end",
    ]

    private static func write(_ text: String) {
        guard !text.isEmpty else { return }
        // A terminal that is gone sends a hang-up, which ends the program.
        try? Terminal.write(text, to: .error)
    }

    // MARK: Keys

    /// What a key asks for; nil where it means nothing, or only changes what is shown.
    func handle(_ key: Key) -> TalkAction? {
        state.withLock { state in
            let action = state.view.handle(key)
            if state.isShown { Self.write(state.view.render()) }
            return action
        }
    }

    /// Which device was chosen; nil where it is not there any more.
    func device(_ chosen: TalkDevice) -> SoundDevice? {
        state.withLock { state in
            state.devices.first { TalkDevice($0).isSame(as: chosen) }?.device
        }
    }

    /// What there is to choose from, a line each; none where it is drawn.
    var deviceLines: [String] {
        state.withLock { state in
            guard isPlain else { return [] }
            let lines = state.devices.prefix(9).enumerated().map {
                "\($0 + 1) \(TalkDevice($1).text)"
            }
            return lines.isEmpty ? ["No devices are used."] : lines
        }
    }

    /// Somebody is made louder.
    ///
    /// - Returns: how much louder than usual he is to be, in decibels.
    func raise(_ name: String, by decibels: Double) -> Double {
        state.withLock { state in
            let range = TalkOptions.gainRange
            let wanted = (state.volumes[name] ?? 0) + decibels
            let volume = min(range.upperBound, max(range.lowerBound, wanted))
            state.volumes[name] = volume
            return volume
        }
    }

    /// Somebody is silenced, or is not any more.
    ///
    /// - Returns: whether he is.
    func toggleSilence(of name: String) -> Bool {
        state.withLock { state in
            let isSilenced = state.silenced.remove(name) == nil
            if isSilenced { state.silenced.insert(name) }
            return isSilenced
        }
    }
}

extension TalkState {
    fileprivate init(_ own: IntercomState) {
        self =
            switch own {
            case _ where !own.isHere: .away
            case _ where own.isTalking: .talking
            case _ where own.isMuted: .muted
            default: .listening
            }
    }
}

extension TalkDevice {
    fileprivate init(_ choice: DeviceChoice) {
        let device = choice.device
        self.init(
            kind: device.direction == .microphone ? "microphone " : "loudspeaker",
            id: device.name, name: SafeText.line(device.description), isUsed: choice.isUsed)
    }

    fileprivate func isSame(as other: TalkDevice) -> Bool { (kind, id) == (other.kind, other.id) }
}

extension TalkPerson {
    fileprivate init(_ person: VoicePersonState, volume: Double?) {
        let lost =
            person.expected == 0 ? 0 : Double(person.lost) / Double(person.expected) * 100
        self.init(
            name: person.name, channel: person.channel, isTalking: person.isTalking,
            level: person.level, quality: person.quality.rawValue,
            delay: Int(saturating: max(0, min(9_999, person.figures.delay))),
            lost: Int(saturating: max(0, min(100, lost)).rounded()), volume: volume)
    }
}
