import Testing

@testable import BeamscribeCore

/// Who has not got a request keeps nothing back.
@Suite struct RequestsUnderWayTests {
    private var requests = RequestsUnderWay()

    @Test mutating func request_hasArrived_onceAKeepAliveBehindItIsEchoed() {
        #expect(requests.arrived(now: .seconds(1)) == .zero)
        requests.sent(1, now: .seconds(1))
        requests.asked()
        // What went before it says nothing of it.
        requests.heard(echo: 1, now: .seconds(2))
        #expect(requests.arrived(now: .seconds(2)) == nil)
        requests.sent(3, now: .seconds(3))
        requests.sent(6, now: .seconds(6))
        for echo in [nil, 1, 4] as [Double?] { requests.heard(echo: echo, now: .seconds(7)) }
        #expect(requests.arrived(now: .seconds(7)) == nil)
        requests.heard(echo: 3, now: .seconds(8))
        #expect(requests.arrived(now: .seconds(30)) == .seconds(8))
    }

    @Test mutating func anotherRequest_isWaitedForAnew() {
        requests.asked()
        requests.sent(1, now: .seconds(1))
        requests.asked()
        requests.heard(echo: 1, now: .seconds(2))
        #expect(requests.arrived(now: .seconds(2)) == nil)
        requests.sent(3, now: .seconds(3))
        requests.heard(echo: 3, now: .seconds(4))
        #expect(requests.arrived(now: .seconds(4)) == .seconds(4))
    }

    /// However often he is asked.
    @Test mutating func whoEchoesNothing_isWaitedForOnlySoLong() {
        for second in 1..<60 {
            requests.asked()
            requests.sent(Double(second), now: .seconds(second))
            #expect(requests.arrived(now: .seconds(second)) == nil)
        }
        #expect(requests.arrived(now: .seconds(61)) == .seconds(1))
    }

    /// He is heard when he speaks, and little is kept of him until then.
    @Test mutating func whoEchoesLate_isHeard() {
        requests.asked()
        for second in 1...10_000 { requests.sent(Double(second), now: .seconds(second)) }
        let newest = 10_000 - RequestsUnderWay.kept
        requests.heard(echo: Double(newest), now: .seconds(10_001))
        #expect(requests.arrived(now: .seconds(10_001)) == .seconds(1))
        requests.heard(echo: Double(newest + 1), now: .seconds(10_002))
        #expect(requests.arrived(now: .seconds(10_002)) == .seconds(10_002))
    }

    /// Nothing is kept of what nobody waits for.
    @Test mutating func keepAlives_leaveNothingBehind_whileNothingWasAsked() {
        for second in 1...1_000 { requests.sent(Double(second), now: .seconds(second)) }
        requests.heard(echo: 7, now: .seconds(1_001))
        #expect(requests.arrived(now: .seconds(1_002)) == .zero)
    }
}
