import TestSupport
import Testing

/// A D-Bus that takes connections and stops answering, from the start or in the middle. BlueZ is
/// asked by the same one.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct HangingBusTests {
    /// In the order in which a host, and whoever looks for one, come by them.
    private static let ofHosts: [HangingBus.Moment] =
        [.fromTheStart]
        + ["Hello", "AddMatch", "GetState", "EntryGroupNew", "Commit"].map { .call($0) }
    private static let ofGuests: [HangingBus.Moment] =
        [.fromTheStart]
        + ["Hello", "GetState", "ServiceBrowserNew", "ServiceResolverNew"].map { .call($0) }

    @Test(arguments: ofHosts)
    func host_servesAndEndsAtOnce_whileItsBusHangs(_ moment: HangingBus.Moment) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let bus = try lan[0].hangingBus(moment)
            let host = try await lan[0].host("Stuck", by: bus)
            try await bus.waitUntilItHangs()
            let guest = try lan[1].join("--host", lan[0].address)
            try await host.send(1...3)
            try await guest.expectLines(1...3, within: .seconds(3))
            try await host.waitForLine(
                containing: "does not answer, so guests cannot find this host by name",
                on: .standardError)
            try await host.send(4...5)
            try await guest.expectLines(1...5, within: .seconds(3))
            guest.interrupt()
            try await guest.expectExit(0, within: .seconds(3))
            let stopwatch = Stopwatch()
            host.terminate()
            try await host.expectExit(0, within: .seconds(2))
            stopwatch.report("a host's end while its bus hangs (\(moment))")
            #expect(host.warnings.count == 1)
        }
    }

    @Test(arguments: ofHosts)
    func host_isAnnounced_whenItsBusAnswersLater(_ moment: HangingBus.Moment) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let bus = try lan[0].hangingBus(moment)
            let host = try await lan[0].host("Late", by: bus)
            try await host.waitForLine(containing: "does not answer", on: .standardError)
            #expect(!host.standardErrorLines.contains { $0.hasPrefix("Announced") })
            bus.release()
            try await host.waitForAnnouncement()
            #expect(try await lan[1].listed().map(\.event) == ["Late"])
            #expect(host.warnings.count == 1)
        }
    }

    /// The whole of its life: joined by address, after its host was lost, and at its end.
    @Test func guest_readsAndEndsAtOnce_whileItsBusHangs() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let bus = try lan[1].hangingBus(.fromTheStart)
            let host = try await lan[0].host("Plain")
            try await host.send(1...3)
            let guest = try lan[1].beamscribe("join", "--host", lan[0].address, by: bus)
            let other = try lan[1].beamscribe("join", "--host", lan[0].address, by: bus)
            for guest in [guest, other] { try await guest.expectLines(1...3) }
            guest.interrupt()
            try await guest.expectExit(0, within: .seconds(2))
            host.kill()
            try await bus.waitUntilItHangs()
            try await other.waitForLine(containing: "lost", on: .standardError)
            other.interrupt()
            try await other.expectExit(0, within: .seconds(2))
        }
    }

    @Test(arguments: ofGuests)
    func searching_endsInTimeAndSaysWhy_whileTheBusHangs(_ moment: HangingBus.Moment) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Hidden")
            let bus = try lan[1].hangingBus(moment)
            let stopwatch = Stopwatch()
            let programs = [
                try lan[1].beamscribe("browse", by: bus),
                try lan[1].beamscribe("join", "Hidden", "--timeout", "3", by: bus),
            ]
            for program in programs {
                try await program.expectExit(69, within: .seconds(6))
                program.expectComplaint("does not answer", "beamscribe join --host")
            }
            stopwatch.report("browse and join --timeout 3 while the bus hangs (\(moment))")
            #expect(host.isRunning)
        }
    }

    @Test(arguments: ofGuests)
    func searching_findsTheHost_whenTheBusAnswersLater(_ moment: HangingBus.Moment) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Found")
            try await host.send(1...1)
            let bus = try lan[1].hangingBus(moment)
            let guest = try lan[1].beamscribe("join", "Found", "--timeout", "60", by: bus)
            let watcher = try lan[1].beamscribe("browse", "--watch", by: bus)
            for program in [guest, watcher] {
                try await program.waitForLine(containing: "does not answer", on: .standardError)
            }
            bus.release()
            try await guest.expectLines(1...1)
            try await watcher.waitForLine(containing: "Found")
            watcher.interrupt()
            try await watcher.expectExit(0, within: .seconds(2))
        }
    }

    @Test(arguments: [.fromTheStart, .call("Hello"), .call("GetState")] as [HangingBus.Moment])
    func doctor_saysWhatHangs_inTime(_ moment: HangingBus.Moment) async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            let bus = try lan[0].hangingBus(moment)
            let stopwatch = Stopwatch()
            let report = try await lan[0].doctor(expecting: 69, within: .seconds(6), by: bus)
            stopwatch.report("a doctor's visit while the bus hangs (\(moment))")
            let name = moment == .call("GetState") ? "avahi" : "dbus"
            #expect(report[name]?.status == "problem")
            #expect(report[name]?.found.contains("does not answer") == true)
            bus.release()
            #expect(try await lan[0].doctor(expecting: 0, by: bus)["avahi"]?.status == "ok")
        }
    }
}
