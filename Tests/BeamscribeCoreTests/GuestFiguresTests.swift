import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// What a host and its guests tell of how they fare.
@Suite struct GuestFiguresTests {
    // MARK: Latencies

    /// By nearest rank, written down another way.
    private func percentile(_ share: Int, of samples: [Double]) -> Double {
        let rank = (samples.count * share + 99) / 100
        return samples.sorted()[rank - 1]
    }

    @Test func latencies_areThoseOfTheNewestLines_whateverTheyAre() {
        var generator = SeededGenerator(seed: 11)
        var latencies = Latencies()
        var all: [Double] = []
        #expect(latencies.percentiles == nil)
        for count in 1...3 * Limits.latencySamples {
            all.append(Double.random(in: 0...1, using: &generator) + Double(count) / 50)
            latencies.add(all[count - 1])
            guard count < 25 || count.isMultiple(of: 23) else { continue }
            let newest = all.suffix(Limits.latencySamples)
            #expect(latencies.percentiles?.p50 == percentile(50, of: Array(newest)))
            #expect(latencies.percentiles?.p95 == percentile(95, of: Array(newest)))
        }
    }

    @Test func latencies_passOver_whatIsNoNumber() {
        var latencies = Latencies()
        for latency in [Double.nan, .infinity, -.infinity] { latencies.add(latency) }
        #expect(latencies.percentiles == nil)
        latencies.add(-0.5)
        #expect(latencies.percentiles == LatencyPercentiles(p50: -0.5, p95: -0.5))
    }

    // MARK: Guests that came and went

    @Test func unstableGuests_areCountedTogether_andByDevice() {
        var counts = UnstableCounts()
        for device in ["a", "b", "a", "a"] { counts.count(device) }
        #expect(counts.total == 4 && counts["a"] == 3 && counts["b"] == 1 && counts["c"] == 0)
    }

    @Test func unstableDevices_areRemembered_asFarAsThereIsRoom() {
        var counts = UnstableCounts()
        for number in 0...Limits.rememberedDevices { counts.count("\(number)") }
        let (last, beyond) = (Limits.rememberedDevices - 1, Limits.rememberedDevices)
        #expect(counts["\(last)"] == 1 && counts["\(beyond)"] == 0)
        counts.count("\(last)")
        #expect(counts["\(last)"] == 2 && counts.total == Limits.rememberedDevices + 2)
    }

    @Test func report_countsTheDevicesOwnComings_andNoOthers() throws {
        let room = VirtualRoom()
        let device = UUID()
        for _ in 0..<2 {
            let guest = room.guest("Ann", device: device)
            room.connect(guest)
            room.cut(guest)
        }
        room.connect(room.guest("Ann", device: device))
        room.connect(room.guest("Bob"))
        let reports = room.host.room.guestReports(now: room.now)
        #expect(reports.map(\.unstable) == [2, 0])
    }

    // MARK: How far a guest is

    @Test func report_tellsHowFarAGuestIsBehind_asItHasSaid() throws {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.say("one")
        room.pass(seconds: 5)
        let calm = try #require(room.host.room.guestReports(now: room.now).first)
        #expect(calm.lagLines == 0 && calm.lagSeconds == 0 && room.host.room.greatestLag == 0)
        room.say("two")
        room.pass(seconds: 1, delivering: false)
        room.say("three")
        let id = try #require(guest.wire)
        var keepAlive = KeepAlive(timestamp: room.now.wall)
        keepAlive.applied = 1
        let frame = try FrameEncoder().frame(.keepAlive(keepAlive))
        _ = frame.withUnsafeBytes { room.host.room.received($0, from: id, now: room.now) }
        let later = room.now.advanced(by: .seconds(2))
        let report = try #require(room.host.room.guestReports(now: later).first)
        #expect(report.lagLines == 2 && room.host.room.greatestLag == 2)
        #expect(abs(report.lagSeconds - 3) < 1e-6, "since the second line came")
    }

    @Test func guest_countsLinesAndComings_butNotTheFirst() {
        let room = VirtualRoom()
        let guest = room.guest()
        #expect(guest.session.statistics(now: room.now).reconnects == 0)
        #expect(guest.session.statistics(now: room.now).connectionAge == nil)
        room.connect(guest)
        room.say("one", "two")
        room.pass(seconds: 3)
        let first = guest.session.statistics(now: room.now)
        #expect(first.reconnects == 0 && first.lines == 2 && first.applied == 2)
        #expect(first.connectionAge == 3)
        for comings in 1...2 {
            room.cut(guest)
            room.pass(seconds: 10)
            #expect(guest.session.statistics(now: room.now).reconnects == comings)
        }
    }

    // MARK: Signs of life

    @Test func pause_isTheIntervalAndSomethingBetween_always() {
        var generator = SeededGenerator(seed: 12)
        var timing = Timing()
        let pauses = (0..<500).map { _ in timing.keepAlivePause(using: &generator).seconds }
        #expect(pauses.allSatisfy { (3...4).contains($0) })
        #expect(pauses.min()! < 3.1 && pauses.max()! > 3.9)
        timing.keepAliveJitter = .seconds(1) ... .seconds(1)
        #expect(timing.keepAlivePause(using: &generator) == .seconds(3))
    }

    @Test func times_areThoseOfTheContract() {
        let timing = Timing()
        #expect(timing.keepAliveInterval == .seconds(2) && timing.silenceTimeout == .seconds(6))
        #expect(timing.handshakeTimeout == .seconds(10) && timing.gate == .seconds(4))
        #expect(timing.handshakeLateness == .seconds(60) && timing.checkInterval == .seconds(1))
        #expect(timing.unstableWithin == .seconds(5) && timing.stuckTimeout == .seconds(60))
        #expect(timing.lingerTimeout == .seconds(5) && timing.clockInterval == .seconds(15))
        #expect(timing.stalledAfter == .seconds(600) && timing.silentAfter == .seconds(10))
        #expect(timing.quietAfter == .seconds(60))
        #expect(timing.lossTold == .seconds(3) && timing.storageRetry == .seconds(1))
        #expect(timing.synchronizeAfter == .milliseconds(700))
        #expect(timing.batteryInterval == .seconds(20))
    }
}
