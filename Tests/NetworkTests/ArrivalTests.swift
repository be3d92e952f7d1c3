import TestSupport
import Testing

/// Guests that come early, late and all at once.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct ArrivalTests {
    @Test func guest_getsEverything_whenItComesLate() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Late", "--until-eof")
            try await host.send(1...2000)
            let guest = try lan[1].join("Late")
            try await guest.expectLines(1...2000)
            try await host.send(2001...2010)
            host.closeInput()
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == lines(1...2010))
            try await host.expectExit(0)
        }
    }

    @Test(arguments: [[], ["Early"]])
    func guest_findsTheHost_whenItWasThereFirst(name: [String]) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let oracle = try await Oracle(on: lan[1])
            let guest = try lan[1].join(["--timeout", "60"] + name)
            try await oracle.waitUntilHeard()
            let stopwatch = Stopwatch()
            let host = try await lan[0].host("Early")
            try await host.send(1...1)
            try await oracle.waitForService()
            let visible = Stopwatch()
            try await guest.expectLines(1...1)
            let how = name.isEmpty ? "without a name" : "by name"
            visible.report("\(how), from the host being visible to the guest's first line")
            stopwatch.report("\(how), from the host's start to the guest's first line")
        }
    }

    @Test func guests_getTheSame_whenSevenJoinAtOnce() async throws {
        try await Lan.with(hosts: 4, avahi: true) { lan in
            let host = try await lan[0].announce("Full House", "--until-eof")
            try await host.send(1...500)
            let stopwatch = Stopwatch()
            let guests = try (0..<7).map { try lan[1 + $0 % 3].join("full") }
            for guest in guests { try await guest.expectLines(1...500) }
            stopwatch.report("seven guests, start to line 500")
            try await host.send(501...510)
            host.closeInput()
            for guest in guests {
                try await guest.expectExit(0)
                #expect(guest.standardOutputLines == lines(1...510))
            }
        }
    }
}
