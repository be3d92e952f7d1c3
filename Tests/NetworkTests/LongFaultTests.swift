import TestSupport
import Testing

/// Faults that take a minute by their nature. A suite each, so that they pass side by side.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct FrozenGuestTests {
    /// A laptop whose lid is closed: nothing is heard of it, and it hears nothing.
    @Test func guest_catchesUp_whenItWasFrozenForAMinute() async throws {
        try await withGuest { lan, host, guest in
            guest.suspend()
            try await host.send(11...20)
            try await Task.sleep(for: .seconds(60))
            try await host.send(21...30)
            let stopwatch = Stopwatch()
            guest.resume()
            try await guest.expectLines(1...30)
            stopwatch.report("waking after a minute to the lines")
        }
    }
}

@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct ComingAndGoingTests {
    /// Whoever comes has all lines from the first, and whoever stays loses none.
    @Test func everyGuest_hasEveryLine_whileGuestsComeAndGo() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Busy", "--until-eof")
            try await host.send(1...5)
            let witness = try lan[1].join("Busy")
            try await witness.expectLines(1...5)
            var said = 5
            var visits = 0
            while visits < 60 {
                let visitors = try (1...2).map { try lan[$0].join("--host", lan[0].address) }
                try await host.send(said + 1...said + 5)
                said += 5
                for visitor in visitors {
                    try await visitor.expectLines(1...said)
                    visits += 1
                    // Some say goodbye and some do not.
                    if visits.isMultiple(of: 3) { visitor.kill() } else { visitor.interrupt() }
                    try await visitor.waitForExit()
                }
            }
            try await witness.expectLines(1...said)
            host.closeInput()
            try await witness.expectExit(0)
            try await host.expectExit(0)
        }
    }
}
