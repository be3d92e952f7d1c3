import TestSupport
import Testing

/// Networks that fail under a guest that is connected: the lines are the host's, each once, in
/// order, whatever happened in between.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct ConnectionFaultTests {
    @Test func guest_getsEveryLineOnce_whenTheLinkIsSilentlyCut() async throws {
        try await withGuest { lan, host, guest in
            let cut = Stopwatch()
            try await lan[1].cut(.silent)
            try await host.send(11...20)
            try await guest.waitForLine(containing: "trying again", on: .standardError)
            try await Task.sleep(for: .seconds(30) - cut.elapsed)
            try await host.send(21...30)
            #expect(guest.standardOutputLines == lines(1...10))
            let stopwatch = Stopwatch()
            try await lan[1].heal()
            try await guest.expectLines(1...30)
            stopwatch.report("the link's return after 30 s of silence to the lines")
        }
    }

    @Test(arguments: [LanCut.carrier, .withAddresses])
    func guest_getsEveryLineOnce_whenTheCableWasOut(cut: LanCut) async throws {
        try await withGuest { lan, host, guest in
            try await lan[1].cut(cut)
            try await host.send(11...20)
            try await guest.waitForLine(containing: "trying again", on: .standardError)
            let stopwatch = Stopwatch()
            try await lan[1].heal()
            try await guest.expectLines(1...20)
            stopwatch.report("the cable's return (\(cut)) to the lines")
        }
    }

    @Test func guest_getsEveryLineOnce_whenTheConnectionIsReset() async throws {
        try await withGuest { lan, host, guest in
            let stopwatch = Stopwatch()
            for first in [11, 21, 31] {
                try await lan[0].reset(port: 23267)
                try await host.send(first...first + 9)
                try await guest.expectLines(1...first + 9)
            }
            stopwatch.report("three resets and 30 lines")
            #expect(!guest.standardErrorText.contains("lost"), "It was back at once each time.")
        }
    }

    @Test func guest_getsEveryLine_whenAFifthOfAllIsLost() async throws {
        try await withGuest { lan, host, guest in
            try await lan[1].loss(percent: 20)
            let stopwatch = Stopwatch()
            // One after the other, or they would all go in one or two packets.
            for number in 11...40 {
                try await host.send(number...number)
                try await guest.expectLines(1...number)
            }
            stopwatch.report("30 lines one by one with a loss of 20 % each way")
            // The host does not wait for who is just then away.
            try await lan[1].loss(percent: 0)
        }
    }

    @Test func guest_getsEveryLine_whenAFifthOfAllIsLost_andTheRestIsLate() async throws {
        try await withGuest { lan, host, guest in
            try await lan[1].delay(milliseconds: 200)
            try await lan[1].loss(percent: 20)
            let stopwatch = Stopwatch()
            for number in 11...25 {
                try await host.send(number...number)
                try await guest.expectLines(1...number, within: .seconds(60))
            }
            stopwatch.report("15 lines one by one with a loss of 20 % and 200 ms each way")
            try await lan[1].loss(percent: 0)
        }
    }

    @Test func guest_endsWithCode77_whenAnotherEventRunsThereNow() async throws {
        try await Lan.with(hosts: 2) { lan in
            let first = try await lan[0].host("Morning", "--no-bonjour")
            try await first.send(1...3)
            let guest = try lan[1].join("--host", lan[0].address)
            try await guest.expectLines(1...3)
            first.kill()
            try await first.waitForExit()
            let second = try await lan[0].host("Evening", "--no-bonjour")
            try await second.write("nothing of the morning\n")
            try await guest.expectExit(77)
            guest.expectComplaint("another event")
            #expect(guest.standardOutputLines == lines(1...3))
        }
    }

    @Test func guest_isUnaffected_whenAvahiDies() async throws {
        try await withGuest { lan, host, guest in
            for machine in lan.hosts { try await machine.killAvahi() }
            try await host.waitForLine(containing: "cannot find this host", on: .standardError)
            try await host.send(11...20)
            try await guest.expectLines(1...20)
            #expect(!guest.standardErrorText.contains("trying again"))
            #expect(guest.warnings == [])
        }
    }
}
