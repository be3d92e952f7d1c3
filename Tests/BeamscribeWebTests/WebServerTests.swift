import Beamscribe
import BeamscribeCore
import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeWeb

/// The page's server as a program uses it, over loopback. Where an end is not to be waited for, an
/// end at all is the proof: it would wait for an hour.
@Suite(.timeLimit(.minutes(5))) struct WebServerTests {
    /// Waits until so many phones read.
    private func wait(for count: Int, at server: WebServer) async throws {
        try await eventually("\(count) phones") { await server.phoneCount == count }
    }

    @Test func phone_isTurnedAway_whereTheHostIsFull_andLetInWhenOneHasGone() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.maximumPhones = 2 }
        let client = WebClient(server.port)
        var phones = [try await client.events(), try await client.events()]
        try await wait(for: 2, at: server)
        let full = try await client.ask("/events")
        #expect(full.status == 503 && full["Retry-After"] == "10")
        #expect(full.text.hasSuffix(".\n"))
        #expect(try await client.ask("/healthz").status == 200)
        phones.removeLast()
        try await wait(for: 1, at: server)
        #expect(try await client.events().head.status == 200)
        await stage.host.stop()
        await server.stop()
    }

    /// Nothing is said meanwhile but that the host is there.
    @Test func phoneThatHasGone_isNotCounted_andItsConnectionIsClosed() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        for round in 1...2 {
            var phones: [EventStreamReader] = []
            for _ in 1...20 { phones.append(try await WebClient(server.port).events()) }
            try await wait(for: 20, at: server)
            #expect(await stage.host.view().phones == 20)
            phones = []
            try await wait(for: 0, at: server)
            #expect(await stage.host.view().phones == 0, "round \(round)")
        }
        await stage.host.stop()
        await server.stop()
    }

    @Test func pauseAndGo_areToldToThoseWhoAreThere_andWhatLastsToThoseWhoCome() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        let phone = try await WebClient(server.port).events()
        try await phone.wait(for: "hello") { $0.name == "hello" }
        await stage.host.pause()
        try await phone.wait(forAlert: "paused")
        let late = try await WebClient(server.port).events()
        try await late.wait(forAlert: "paused")
        await stage.host.resume()
        for phone in [phone, late] {
            try await phone.wait(forAlert: "resumed")
            #expect(phone.alerts == ["paused", "resumed"])
        }
        let later = try await WebClient(server.port).events()
        _ = await stage.host.type("on we go")
        try await later.wait(forFinal: "on we go")
        #expect(later.alerts == [])
        await stage.host.stop()
        await server.stop()
    }

    @Test func typedLine_isSeenAsItGrows() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        let phone = try await WebClient(server.port).events()
        try await phone.wait(for: "hello") { $0.name == "hello" }
        await stage.host.type(partial: "We a")
        try await phone.wait(for: "the partial") { $0.name == "partial" && $0.text == "We a" }
        _ = await stage.host.type("We are here")
        try await phone.wait(forFinal: "We are here")
        await stage.host.stop()
        await server.stop()
    }

    // MARK: The end

    @Test func stop_isQuick_whereNobodyReads() async throws {
        let stage = try await WebStage()
        // Of its own: at another's a port that is free again can be another test's by then.
        let address = "127.95.0.1"
        let server = try await stage.serve { $0.address = IPAddress(address)! }
        let idle = try RawConnection(to: server.port, at: address)
        await stage.host.stop()
        await server.stop()
        try await idle.readToEnd()
        #expect(throws: WaitFailed.self) { try RawConnection(to: server.port, at: address) }
    }

    /// The host is still there: its page alone ends.
    @Test func stop_endsTheStreams_whereTheHostGoesOn() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.farewell = .milliseconds(50) }
        let phones = [
            try await WebClient(server.port).events(), try await WebClient(server.port).events(),
        ]
        try await wait(for: 2, at: server)
        await server.stop()
        for phone in phones { try await phone.readToEnd() }
        let next = try await stage.serve()
        _ = await stage.host.type("still here")
        let phone = try await WebClient(next.port).events()
        try await phone.wait(forFinal: "still here")
        await stage.host.stop()
        await next.stop()
    }

    /// What has not gone out yet when the host is done is the end of what was said.
    @Test func slowPhone_hasEverything_thatWasSaidBeforeTheEnd() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        let phone = try await WebClient(server.port).events(receiveBuffer: 4_096)
        try await wait(for: 1, at: server)
        let words = String(repeating: " and so on", count: 20)
        let said = (1...2_000).map { "line \($0)" + words }
        for line in said { _ = await stage.host.type(line) }
        await stage.host.stop()
        async let stopped: Void = server.stop()
        // Most of it still lies with the host.
        try await phone.readToEnd()
        await stopped
        #expect(phone.finals == said)
        #expect(phone.events.last?.kind == "host_disconnected")
    }

    /// Somebody who wants to keep what was said asks for it when it ends.
    @Test func slowDownload_isWhole_whichWasUnderWayAtTheEnd() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        let words = String(repeating: " and so on", count: 400)
        for number in 1...100 { _ = await stage.host.type("line \(number)" + words) }
        let slow = try RawConnection(to: server.port, receiveBuffer: 4_096)
        try await slow.send("GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await slow.read("the beginning") { bytes, _ in bytes.isEmpty ? nil : () }
        await stage.host.stop()
        async let stopped: Void = server.stop()
        let answer = try await slow.answer(within: .seconds(30))
        await stopped
        #expect(answer.text.hasSuffix("line 100" + words + "\n"))
    }

    /// A phone in a pocket: it takes nothing, and is not gone. The transcript that another one has
    /// asked for is not read to its end for nobody.
    @Test func stop_doesNotWaitForLong_whereAPhoneTakesNothing() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.farewell = .milliseconds(50) }
        let phone = try await WebClient(server.port).events(receiveBuffer: 4_096)
        try await wait(for: 1, at: server)
        let words = String(repeating: " and so on", count: 400)
        for number in 1...2_000 { _ = await stage.host.type("line \(number)" + words) }
        let deaf = try RawConnection(to: server.port, receiveBuffer: 4_096)
        try await deaf.send(
            "GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        await stage.host.stop()
        await server.stop()
        #expect(phone.finals.isEmpty)
        withExtendedLifetime(deaf) {}
    }

    /// Those who come while it ends, and until it has, must not keep it.
    @Test func stop_ends_whilePhonesComeAndGo() async throws {
        for _ in 1...5 {
            let stage = try await WebStage()
            let server = try await stage.serve { $0.farewell = .milliseconds(200) }
            let client = WebClient(server.port)
            let crowd = Task {
                while !Task.isCancelled {
                    let phone = try? await client.events()
                    // Where nobody listens any more there is nothing else to wait for.
                    if phone == nil { try? await Task.sleep(for: .milliseconds(5)) }
                }
            }
            try await eventually("phones") { await server.phoneCount > 0 }
            await stage.host.stop()
            await server.stop()
            crowd.cancel()
            await crowd.value
        }
    }

    // MARK: The beginning

    @Test func server_refuses_whenItsPortIsTaken_andTheHostGoesOn() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve()
        await #expect(throws: WebError.portTaken(server.port)) {
            try await stage.serve { $0.port = .number(server.port) }
        }
        await server.stop()
        let other = try await stage.serve { $0.port = .preferred(server.port) }
        #expect(other.port == server.port)
        let phone = try await WebClient(other.port).events()
        _ = await stage.host.type("hello")
        try await phone.wait(forFinal: "hello")
        await stage.host.stop()
        await other.stop()
    }

    /// What the host has to say finds nobody then, and does no harm.
    @Test func host_goesOn_whereItsPageCouldNotBegin() async throws {
        let stage = try await WebStage()
        let taken = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0))
        await #expect(throws: WebError.portTaken(taken.endpoint.port)) {
            try await stage.serve { $0.port = .number(taken.endpoint.port) }
        }
        for number in 1...100 { _ = await stage.host.type("line \(number)") }
        let server = try await stage.serve()
        let phone = try await WebClient(server.port).events()
        try await phone.wait(forFinal: "line 100")
        await stage.host.stop()
        await server.stop()
    }

    @Test func page_isServedOnIPv6_whereTheAddressIsOne() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.address = IPAddress("::1") }
        #expect(server.port > 0)
        await stage.host.stop()
        await server.stop()
    }
}
