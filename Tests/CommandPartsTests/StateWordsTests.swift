import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore

/// What the status row calls the states: a reader must be able to tell each from all others.
@Suite struct StateWordsTests {
    private static let states: [GuestState] = [
        .searching, .connecting, .syncing(received: 5, total: 10), .live, .silent(inputAge: 12),
        .stalled(.stalled), .stalled(.ended), .stalled(.paused), .stalled(.offRecord),
        lost(.networkLost),
        lost(.hostLost), lost(.hostGone), .ended,
    ]

    private static func lost(_ cause: LossCause) -> GuestState {
        .reconnecting(ConnectionLoss(cause: cause, why: "so it is", since: 1_000))
    }

    @Test func states_areToldApart_byTheirWords() {
        let words = Self.states.map { StateWords.words(for: $0, age: 3, now: 1_012) }
        #expect(Set(words).count == Self.states.count, "\(words)")
        #expect(words.contains("silent for 15 s"))
        #expect(words.contains("network lost for 12 s, trying again"))
        #expect(words.contains("host gone for 12 s, trying again"))
    }

    @Test(arguments: [1e300, -1e300, 0, 119, 120, 7_200])
    func ages_areShown_howeverGreatTheyAre(age: Double) {
        let words = StateWords.words(for: .silent(inputAge: age), age: 0, now: 0)
        #expect(words.hasPrefix("silent for "))
        #expect(words.hasSuffix(age < 120 ? " s" : " min"))
    }

    @Test func row_keepsWhatItSaid_whileALossIsTooShortToTell() {
        var status = LiveStatus()
        let loss = ConnectionLoss(cause: .hostLost, why: "so it is", since: 1_000)
        status.take(.state(.live), at: 990)
        status.take(.state(.reconnecting(loss)), at: 1_000)
        #expect(status.parts(at: 1_002, lines: 0) == ["live"])
        status.take(.stillLost(loss), at: 1_003)
        #expect(status.parts(at: 1_004, lines: 0)[0].hasPrefix("host lost for 4 s"))
        let event = JoinedEvent(
            eventName: "Town Hall", deviceName: "stage", session: "", history: 0)
        status.take(.joined(event), at: 1_005)
        status.take(.state(.live), at: 1_005)
        #expect(status.parts(at: 1_006, lines: 0) == ["live"])
    }

    private func log(_ session: String, _ label: String, standingInFor main: String? = nil)
        -> LogTitle
    {
        let record = LogRecord(
            session, of: "main", as: label, lang: nil, eventName: "Town Hall",
            deviceName: "attic", created: 1, number: 1)
        var title = LogTitle(record, by: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!)
        title.standsInFor = main
        return title
    }

    @Test(arguments: [GuestState.unheard(via: "attic", headAge: 40), .stalled(.offAir)])
    func row_saysWhoCaptions_whereTheHostIsNotHeard(state: GuestState) throws {
        var status = LiveStatus()
        var event = JoinedEvent(
            eventName: "Town Hall", deviceName: "stage", session: "main", history: 0)
        event.isSigned = true
        let ann = log("a", "Ann", standingInFor: "main")
        let room = log("b", "Room 2")
        status.take(.joined(event), at: 1_000)
        status.take(.state(state), at: 1_000)
        status.take(.log(room, .live), at: 1_000)
        status.take(.log(ann, .standby), at: 1_000)
        #expect(!status.parts(at: 1_001, lines: 0)[0].hasPrefix("live"))
        status.take(.log(ann, .live), at: 1_002)
        #expect(status.parts(at: 1_003, lines: 0) == ["live: Ann captions for the host"])
        status.take(.log(ann, .stale), at: 1_004)
        #expect(!status.parts(at: 1_005, lines: 0)[0].hasPrefix("live"))
        status.take(.log(ann, .live), at: 1_006)
        status.take(.state(.live), at: 1_006)
        #expect(status.parts(at: 1_007, lines: 0) == ["live"])
    }

    @Test func row_isLive_whereAnEventGoesOnWithoutItsFounder() {
        var status = LiveStatus()
        var event = JoinedEvent(
            eventName: "Round Table", deviceName: "stage", session: "main", history: 0)
        event.isOpen = true
        let ann = log("a", "Ann")
        status.take(.joined(event), at: 1_000)
        status.take(.log(ann, .live), at: 1_000)
        status.take(.state(.unheard(via: "attic", headAge: 40)), at: 1_000)
        #expect(status.parts(at: 1_001, lines: 0) == ["live"])
        status.take(.log(ann, .stale), at: 1_002)
        #expect(status.parts(at: 1_003, lines: 0) == ["nobody was heard for 43 s"])
    }

    @Test func table_showsEachGuest_withWhatIsKnownOfIt() {
        let guest = GuestReport(
            guest: GuestDescription(name: "Ann", peer: "192.0.2.1:5"), state: .stable, lagLines: 3,
            lagSeconds: 1.26, latency: LatencyPercentiles(p50: 0.0123, p95: 0.2), unstable: 2)
        let rows = GuestTable(guests: [guest], inputAge: .seconds(7)).rows
        #expect(
            rows == [
                "1 guest, last input 7 s ago:",
                "    Ann from 192.0.2.1:5: stable, lag 3 lines, 1.3 s, latency p50 12 ms, "
                    + "p95 200 ms, unstable 2 times",
            ])
        #expect(GuestTable(guests: [], inputAge: nil).rows == ["0 guests, the input has ended."])
    }
}
