import BeamscribeVoice
import Testing

@testable import BeamscribeCommand

/// Which runs of the command of `talk --exec` there are.
@Suite struct TalkRunsTests {
    private func words(_ events: [VoiceEvent]) -> [String] {
        var runs = TalkRuns(on: "crew")
        return events.flatMap { runs.runs(for: $0) }.map(\.input)
    }

    private func ann(_ news: VoiceEvent.PersonNews) -> VoiceEvent {
        .person(name: "Ann", channel: "crew", news)
    }

    @Test func eachTalk_beginsAndEndsOnce() {
        #expect(
            words([
                .ready, ann(.came), ann(.stopped), ann(.talks), ann(.stopped), ann(.left),
                ann(.talks), ann(.left), ann(.left),
            ]) == [
                "Ann talks (crew).\n", "Ann has stopped (crew).\n", "Ann talks (crew).\n",
                "Ann has stopped (crew).\n",
            ])
        #expect(
            words([
                .talk(.ended), .talk(.began(lookBack: 0)), .talk(.endsSoon), .talk(.fellBack),
                .talk(.ended),
            ])
                == ["You are heard.\n", "You are not heard.\n"])
    }

    @Test func twoOfOneName_areTwo() {
        #expect(words([ann(.talks), ann(.talks), ann(.stopped), ann(.stopped)]).count == 4)
        #expect(words([ann(.talks), ann(.stopped), ann(.stopped)]).count == 2)
    }

    @Test func allTalksEnd_withTheConnection() {
        let bob = VoiceEvent.person(name: "Bob", channel: "es", .talks)
        let runs = words([
            bob, ann(.talks), .talk(.began(lookBack: 0)), .apart, ann(.stopped), ann(.talks),
        ])
        #expect(
            runs.suffix(4) == [
                "Ann has stopped (crew).\n", "Bob has stopped (es).\n", "You are not heard.\n",
                "Ann talks (crew).\n",
            ])
    }

    @Test func variables_tellWhoTalksWhere() {
        var runs = TalkRuns(on: nil)
        runs.event = "E"
        let other = runs.runs(for: ann(.talks)).first?.variables
        #expect(
            other == [
                "BEAMSCRIBE_TALK": "begins", "BEAMSCRIBE_SPEAKER": "Ann",
                "BEAMSCRIBE_CHANNEL": "crew", "BEAMSCRIBE_EVENT": "E",
            ])
        _ = runs.runs(for: .moved(to: "es"))
        let own = runs.runs(for: .talk(.began(lookBack: 0))).first?.variables
        #expect(own?["BEAMSCRIBE_SPEAKER"] == .some(nil))
        #expect(own?["BEAMSCRIBE_CHANNEL"] == .some("es"))
    }
}
