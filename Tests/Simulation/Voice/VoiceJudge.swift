import BeamscribeCore
import BeamscribeVoice

/// Judges an event's voices.
struct VoiceJudge {
    private unowned let stage: VoiceStage
    private var world: World { stage.world }

    /// Sound before a talk's begin and behind its end that belongs to it, in samples: the words that
    /// opened the microphone, and a frame that is filled up.
    private static let lookBack = 48 * 80
    private static let rest = 48 * 30
    /// The longest time from mouth to ear while nothing is wrong, in milliseconds.
    private static let mouthToEar = 200.0
    /// The same a few seconds after something was wrong.
    private static let mouthToEarAgain = 260.0
    /// The time after trouble from which that counts, in microseconds.
    private static let recovery = Int.seconds(1)
    /// Sound that a listener who was put out had received before, in samples.
    private static let underWay = 48 * 1_000

    init(_ stage: VoiceStage) { self.stage = stage }

    // MARK: While it happens

    /// The fault of a frame that somebody hears; nil where it is well.
    func fault(
        of frame: SpokenFrame, said time: Int, heardBy listener: SimulatedTalker
    ) -> String? {
        guard let talker = stage.talkers.first(where: { $0.number == frame.talker }) else {
            return "it hears somebody who is not there"
        }
        let talk = talker.talks.last {
            time >= $0.begin - Self.lookBack
                && time + frame.duration - Self.rest <= $0.end ?? .max
        }
        guard let talk else { return "it hears talker \(talker.number), who does not talk" }
        guard listener.hears.contains(talk.channel) else {
            return "it hears talker \(talker.number) on \(talk.channel), where it is not"
        }
        if talk.channel == "crew", !listener.part.isCrew { return "it hears the crew" }
        if let putOutAt = talker.putOutAt, time >= putOutAt {
            return "it hears talker \(talker.number), who was put out"
        }
        if let putOutAt = listener.putOutAt, stage.samples > putOutAt + Self.underWay {
            return "it was put out, and hears talker \(talker.number)"
        }
        return faultOfDelay(of: time, talker, listener)
    }

    private func faultOfDelay(
        of time: Int, _ talker: SimulatedTalker, _ listener: SimulatedTalker
    ) -> String? {
        let delay = Double(stage.samples - time) / 48
        let said = time * 1_000 / 48
        let trouble = max(talker.path.troubledUntil, listener.path.troubledUntil)
        guard delay > Self.mouthToEarAgain, said > trouble + Self.recovery else { return nil }
        return "it hears talker \(talker.number) \(Int(saturating: delay)) ms late"
    }

    func lookAtDatagram(to talker: SimulatedTalker) {
        if talker.putOutAt != nil { world.fail("host: it sends voices to who was put out") }
    }

    func look(at message: VoiceMessage, to talker: SimulatedTalker) {
        guard talker.putOutAt != nil else { return }
        if case .refused = message { return }
        world.fail("host: it tells somebody of voices who was put out")
    }

    func lookAtCaptioned(_ voice: HeardVoice<Int>, _ connections: [VoiceConnection]) {
        guard case .packet(_, let id, let name, let channel, _) = voice else { return }
        if !stage.scenario.captioned.contains(channel) {
            world.fail("host: it captions a channel that it was not to hear")
        }
        // A connection that is gone may still have been a member when the packet came.
        guard let talker = connections.first(where: { $0.id == id })?.talker else { return }
        if talker.name != name { world.fail("host: it captions \(name) for \(talker.name)") }
        if talker.putOutAt != nil { world.fail("host: it captions who was put out") }
    }

    func lookAtRoom() {
        let talking = stage.room.participants.filter(\.isTalking)
        for channel in VoiceScenario.channels {
            let count = talking.count { $0.channel == channel.name }
            if count > stage.scenario.maximumTalkers {
                world.fail("host: \(count) talk on \(channel.name)")
            }
        }
    }

    // MARK: Once all is well

    /// Those who have to be on their channels.
    private var expected: [SimulatedTalker] {
        stage.talkers.filter { $0.part.isAllowed && $0.putOutAt == nil }
    }

    func listeners(of talker: SimulatedTalker) -> [SimulatedTalker] {
        guard let channel = talker.talksOn else { return [] }
        return expected.filter { $0 !== talker && $0.hears.contains(channel) }
    }

    /// Something that is not as it must be; nil where all is well.
    var fault: String? {
        for talker in stage.talkers {
            let isExpected = expected.contains { $0 === talker }
            if talker.session.isHere != isExpected {
                return "\(talker.name): it is \(isExpected ? "not " : "")on its channels"
            }
            guard isExpected else { continue }
            if talker.isToldTunnelled != (talker.path.blockedUntil > world.now) {
                return "\(talker.name): its packets do not go the better way"
            }
            if let fault = faultOfTold(by: talker) { return fault }
        }
        return nil
    }

    /// The others are shown as they are.
    private func faultOfTold(by talker: SimulatedTalker) -> String? {
        var others: [String: Bool] = [:]
        for other in expected where other !== talker {
            guard let channel = other.talksOn, talker.hears.contains(channel) else { continue }
            others["\(other.name) on \(channel)"] = other.session.isTalking
        }
        if talker.shown != others {
            return "\(talker.name): it shows \(describe(talker.shown)), and there are "
                + describe(others)
        }
        guard talker.told.mapValues({ _ in 1 }) != others.mapValues({ _ in 1 }) else { return nil }
        return "\(talker.name): its user was told of \(talker.told.keys.sorted()), and there are "
            + describe(others)
    }

    private func describe(_ others: [String: Bool]) -> String {
        others.isEmpty
            ? "nobody"
            : others.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value ? " talking" : "")" }
                .joined(separator: ", ")
    }

    /// The fault of a talk that was watched until all of it was heard; nil where there is none.
    func fault(ofTalkBy talker: SimulatedTalker) -> String? {
        let said = talker.made.compactMap(\.time)
        if said.isEmpty { return "\(talker.name): it talks, and nothing is said" }
        let end = talker.made.last.map { ($0.time ?? .max / 2) + $0.duration } ?? 0
        if talker.part.mode == .pushToTalk, end < talker.spokenThrough {
            return "\(talker.name): the end of what it says is not sent"
        }
        if talker.isToldRefused { return "\(talker.name): nobody else talks, and it is refused" }
        for listener in listeners(of: talker) {
            let heard = Set((listener.heard[talker.number] ?? []).compactMap(\.time))
            let missing = said.count { !heard.contains($0) }
            if missing > 0 {
                return "\(listener.name): of \(said.count) frames of \(talker.name) "
                    + "\(missing) are missing"
            }
            if listener.longestDelay > Self.mouthToEar {
                return "\(listener.name): it hears \(talker.name) "
                    + "\(Int(saturating: listener.longestDelay)) ms late"
            }
            // To catch up after trouble, pieces of the sound are left out.
            let length = talker.made.reduce(0) { $0 + ($1.time == nil ? 0 : $1.duration) } / 48
            if listener.sound < length * 3 / 4 {
                return
                    "\(listener.name): of \(length) ms of \(talker.name) it plays \(listener.sound)"
            }
        }
        return nil
    }
}
