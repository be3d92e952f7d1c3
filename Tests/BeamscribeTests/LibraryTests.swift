import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import TestSupport
import Testing

@testable import Beamscribe

/// The library as a program uses it: a host and guests in one process, over loopback.
@Suite struct LibraryTests {
    @Test func guest_hasTheHostsLines_whenTheEventEnds() async throws {
        let folder = try TemporaryFolder()
        let said = (1...2_000).map { "line \($0)" }
        try folder.write(said.joined(separator: "\n"), to: "speech")
        let (host, endpoint) = try await startHost(reading: folder.path(of: "speech"))
        let guests = try await [startGuest(at: endpoint), startGuest(at: endpoint)]
        for guest in guests {
            var heard: [String] = []
            for await batch in guest.events {
                heard += batch.compactMap {
                    if case .line(let line) = $0 { line.text } else { nil }
                }
                if heard.count == said.count { await host.endEvent() }
            }
            #expect(heard == said)
            #expect(await guest.outcome == .ended)
        }
    }

    @Test func guest_tellsHowItFares_whenAsked_asLongAsItIsConnected() async throws {
        let folder = try TemporaryFolder()
        try folder.write("one\ntwo\nthree\n", to: "speech")
        let (host, endpoint) = try await startHost(reading: folder.path(of: "speech"))
        var configuration = guestConfiguration(endpoint)
        configuration.statistics = .milliseconds(20)
        let guest = try Guest(configuration)
        await guest.start()
        var told: [GuestStatistics] = []
        for await batch in guest.events {
            told += batch.compactMap { if case .stats(let stats) = $0 { stats } else { nil } }
            if told.count(where: { $0.applied == 3 }) >= 3 { await guest.stop() }
        }
        await host.stop()
        let last = try #require(told.last)
        #expect(last.lines == 3 && last.reconnects == 0)
        let ages = told.compactMap(\.connectionAge)
        #expect(ages.count == told.count && ages == ages.sorted())
    }

    @Test func guest_tellsNothingOfTheKind_unasked() async throws {
        let folder = try TemporaryFolder()
        try folder.write("one\n", to: "speech")
        let (host, endpoint) = try await startHost(reading: folder.path(of: "speech"))
        let guest = try await startGuest(at: endpoint)
        for await batch in guest.events {
            #expect(!batch.contains { if case .stats = $0 { true } else { false } })
            let isThere = batch.contains { if case .line = $0 { true } else { false } }
            if isThere { await guest.stop() }
        }
        await host.stop()
    }

    @Test func guest_isToldWhy_whenNobodyAnswers() async throws {
        let gone = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0)
        ).endpoint
        var configuration = guestConfiguration(gone)
        configuration.searchTimeout = .milliseconds(200)
        let guest = try Guest(configuration)
        await guest.start()
        for await _ in guest.events {}
        guard case .noAnswer(let why)? = await guest.outcome else {
            Issue.record("\(String(describing: await guest.outcome))")
            return
        }
        #expect(why.contains("refused"))
    }

    @Test func slowReader_getsEverything_inBoundedMemory() async throws {
        let folder = try TemporaryFolder()
        let said = (1...30_000).map { "a line of some length, number \($0)" }
        try folder.write(said.joined(separator: "\n"), to: "speech")
        let (host, endpoint) = try await startHost(reading: folder.path(of: "speech"))
        let guest = try await startGuest(at: endpoint)
        var count = 0
        var largest = 0
        for await batch in guest.events {
            largest = max(largest, batch.count)
            for case .line(let line) in batch {
                count += 1
                #expect(line.text == said[count - 1])
            }
            if count == said.count { await host.endEvent() }
        }
        #expect(count == said.count)
        #expect(largest <= 2 * Limits.waitingEvents)
    }

    @Test func host_saysWhy_whenItsPortIsTaken() async throws {
        let listener = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0))
        var configuration = try hostConfiguration()
        configuration.port = .number(listener.endpoint.port)
        configuration.input = .file("/dev/null")
        let host = try Host(configuration)
        await #expect(throws: StartError.self) { try await host.start() }
    }

    @Test func host_saysWhy_whenItsInputIsNotThere() async throws {
        var configuration = try hostConfiguration()
        configuration.input = .file("/nonexistent/speech")
        var started: Host? = try Host(configuration)
        weak let host = started
        do {
            try await started?.start()
            Issue.record("the input is not there")
        } catch .cannotReadInput(let error) {
            #expect("\(error)" == "cannot open /nonexistent/speech: No such file or directory")
        }
        started = nil
        try await eventually("the host to be gone") { host == nil }
    }

    @Test func nothingIsLeft_whenAHundredOfEachHaveGone() async throws {
        let folder = try TemporaryFolder()
        try folder.write("one\n", to: "speech")
        var loops: [WeakLoop] = []
        for _ in 0..<100 { loops += try await comeAndGo(folder.path(of: "speech")) }
        // A loop goes with its thread and its descriptors.
        try await eventually(
            "\(loops.count) loops to be gone", seen: { "\(loops.count { !$0.isGone }) are there" }
        ) { loops.allSatisfy(\.isGone) }
    }

    private final class WeakLoop: @unchecked Sendable {
        private weak var loop: (any Loop)?

        init(_ loop: any Loop) { self.loop = loop }

        var isGone: Bool { loop == nil }
    }

    private func comeAndGo(_ speech: String) async throws -> [WeakLoop] {
        let (host, endpoint) = try await startHost(reading: speech)
        let guest = try await startGuest(at: endpoint)
        let browser = try Browser()
        await browser.start()
        for await batch in guest.events {
            let isThere = batch.contains { if case .line = $0 { true } else { false } }
            if isThere { await guest.stop() }
        }
        await browser.stop()
        await host.stop()
        let left = [host.surroundings, guest.surroundings, browser.surroundings]
        return left.map { WeakLoop($0.network.loop) }
    }

    // MARK: Making them

    private func hostConfiguration() throws -> HostConfiguration {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.port = .number(0)
        configuration.addresses = [IPAddress("127.0.0.1")!]
        configuration.announces = false
        configuration.bluetooth = .nothing
        return configuration
    }

    private func startHost(reading file: String) async throws -> (Host, Endpoint) {
        var configuration = try hostConfiguration()
        configuration.input = .file(file)
        let host = try Host(configuration)
        try await host.start()
        for await batch in host.news {
            for case .listening(let endpoints) in batch { return (host, endpoints[0]) }
        }
        throw SystemError("host", code: 0)
    }

    private func guestConfiguration(_ endpoint: Endpoint) -> GuestConfiguration {
        var configuration = GuestConfiguration(
            target: .endpoints([endpoint], name: "\(endpoint)"),
            session: GuestSession.Configuration(displayName: "Ann"),
            device: DeviceSecret(UUID()), security: GuestSecurity())
        configuration.usesBluetooth = false
        return configuration
    }

    private func startGuest(at endpoint: Endpoint) async throws -> Guest {
        let guest = try Guest(guestConfiguration(endpoint))
        await guest.start()
        return guest
    }
}
