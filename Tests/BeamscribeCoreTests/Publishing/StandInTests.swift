import Testing

@testable import BeamscribeCore

/// Who captions in the place of an event's host, for its readers.
@Suite struct StandInTests {
    private let main = "6265616d-7363-4269-a265-000000000001"

    private func claim(
        _ label: String, air: Int, rank: Int = 1, isFresh: Bool = true, isOver: Bool = false
    ) -> AirClaim {
        let isMain = label == "floor"
        return AirClaim(
            session: isMain ? main : label, label: label, deviceName: "stage", air: air,
            rank: isMain ? 0 : rank, time: 0, isWithheld: false, isFresh: isFresh, isOver: isOver)
    }

    private func standIn(among claims: AirClaim...) -> String? {
        AirClaim.standIn(for: main, among: claims)?.label
    }

    @Test func nobodyStandsIn_whereTheHostCaptions() {
        #expect(standIn(among: claim("floor", air: 1), claim("Standby", air: 0)) == nil)
        // Until they hear of each other both write, and one precedes.
        #expect(standIn(among: claim("floor", air: 2), claim("Standby", air: 2)) == nil)
        #expect(standIn() == nil)
    }

    @Test func nobodyStandsIn_whereNobodyIsHeard() {
        let gone = claim("Standby", air: 2, isFresh: false)
        #expect(standIn(among: claim("floor", air: 1, isFresh: false), gone) == nil)
        #expect(standIn(among: claim("floor", air: 1), gone) == nil)
    }

    @Test func standbyStandsIn_whereItCaptions_whetherTheHostIsHeardOrNot() {
        let standby = claim("Standby", air: 2)
        #expect(standIn(among: claim("floor", air: 1, isFresh: false), standby) == "Standby")
        #expect(standIn(among: claim("floor", air: 0), standby) == "Standby")
        #expect(standIn(among: standby, claim("Third", air: 3)) == "Third")
    }

    @Test func lastCaptioner_staysTheOneInTheHostsPlace_whereHeHasEnded() {
        let over = claim("Standby", air: 2, isFresh: false, isOver: true)
        #expect(standIn(among: claim("floor", air: 1, isFresh: false), over) == "Standby")
        #expect(standIn(among: claim("floor", air: 3, isFresh: false), over) == nil)
        #expect(standIn(among: claim("floor", air: 1), over) == nil)
    }

    /// Readers behind a relay learn it by the head alone.
    @Test(arguments: [
        ("live", 0, InputTrouble?.some(.offAir)), ("live", 1, nil),
        ("input_ended", 0, .offAir), ("input_ended", 1, .ended),
        ("paused", 0, .paused), ("off_record", 0, .offRecord), ("of a later version", 0, .offAir),
    ])
    func whileOthersCaption_nobodyIsTold_thatTheInputHasEnded(
        state: String, air: Int, trouble: InputTrouble?
    ) {
        let head = LogHead(
            session: main, runs: [0], seq: 0, hash: "", at: 0, air: air, state: state, inputAge: 0,
            time: 0, next: 1)
        #expect(head.trouble == trouble)
    }
}
