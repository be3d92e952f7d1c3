import Testing

@testable import BeamscribeCore

/// A server may give a message any place.
@Suite struct MessagePlaceTests {
    @Test(arguments: [
        ("$JS.ACK.log.c1.1.17.3.1700000000000000000.0", 17, 3, true),
        ("$JS.ACK.log.c1.1.1.1.1700000000000000000.5", 1, 1, false),
        ("$JS.ACK.hub.ACCT.log.c1.1.17.4.1700000000000000000.0", 17, 4, true),
        ("$JS.ACK._.ACCT.log.c1.2.99.5.1700000000000000000.12.x7", 99, 5, false),
    ])
    func place_isRead(reply: String, number: Int, order: Int, isLast: Bool) throws {
        let place = try #require(MessagePlace(reply: reply))
        #expect(place.number == number && place.order == order && place.isLast == isLast)
    }

    @Test(arguments: [
        "", ".", "$JS.ACK", "_INBOX.x", "$JS.ACK.log.c1.1.0.3.4.0", "$JS.ACK.log.c1.1.-1.3.4.0",
        "$JS.ACK.log.c1.1.18446744073709551615.3.4.0", "$JS.ACK.log.c1.1.9007199254740992.3.4.0",
        "$JS.ACK.log.c1.1.1e3.3.4.0", "$JS.ACK.log.c1.1..3.4.0", "$JS.ACK.log.c1.1.17.3.4",
        "$JS.ACK.a.log.c1.1.17.3.4.0", "$JS.ACK.h.A.log.c1.1.x.3.4.0.1",
        "$JS.API.log.c1.1.17.3.4.0", "$JS.ACK.log.c1.1.17.0.4.0", "$JS.ACK.log.c1.1.17.-3.4.0",
        "$JS.ACK.log.c1.1.17.18446744073709551615.4.0",
    ])
    func place_isNone_ofWhatCannotBe(reply: String) {
        #expect(MessagePlace(reply: reply) == nil)
    }
}
