import TestSupport
import Testing

/// Hosts whose address changes under a guest that is connected.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct AddressChangeTests {
    @Test func guest_comesBack_whenTheHostIsRenumbered() async throws {
        try await withGuest(overIPv4: true) { lan, host, guest in
            let new = lan[0].address.replacing(/\.1$/, with: ".77")
            let said = host.standardErrorLines.count
            try await lan[0].renumber(to: new)
            let stopwatch = Stopwatch()
            try await host.send(11...20)
            try await guest.expectLines(1...20)
            stopwatch.report("the host's new address to the lines")
            try await host.waitForLine(containing: "\(new):", on: .standardError, after: said)
        }
    }

    /// It was told an address and no name, and knows the session by now.
    @Test func guest_findsTheHostAgain_whenItJoinedByAnAddressThatIsGone() async throws {
        try await withGuest(byAddress: true, overIPv4: true) { lan, host, guest in
            try await lan[0].renumber(to: lan[0].address.replacing(/\.1$/, with: ".77"))
            try await host.send(11...20)
            try await guest.expectLines(1...20)
        }
    }

    /// Without discovery and with one address there is no other way: the old one has to return.
    @Test func guest_comesBack_whenTheAddressWasAwayForAWhile() async throws {
        try await withGuest(byAddress: true) { lan, host, guest in
            let old = lan[0].address
            try await lan[1].killAvahi()
            try await lan[0].renumber(to: old.replacing(/\.1$/, with: ".77"))
            try await host.send(11...20)
            try await guest.waitForLine(containing: "trying again", on: .standardError)
            try await lan[0].renumber(to: old)
            try await guest.expectLines(1...20)
        }
    }
}
