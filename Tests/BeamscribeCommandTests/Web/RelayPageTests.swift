import TestSupport
import Testing

/// The page of a machine that serves an event for its host.
@Suite(.timeLimit(.minutes(3))) struct RelayPageTests {
    /// A relay of a host, and its page.
    private struct RelayPage {
        let program: RunningProgram
        let link: String
        let client: WebClient

        var token: String? { link.split(separator: "#").dropFirst().first.map(String.init) }
    }

    private func relay(
        of page: WebRoom, _ options: String..., code: String? = nil
    ) async throws -> RelayPage {
        let words = ["relay", "--host", page.room.address, "--no-ble", "--web", "127.0.0.1:0"]
        var launch = Launch.beamscribe(
            words + Room.quiet(port: 0) + options, state: try TemporaryFolder())
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        let program = try RunningProgram(launch)
        let line = try await program.waitForLine(containing: "http://127", on: .standardError)
        let found = try #require(line.firstMatch(of: /(http:\/\/127\.0\.0\.1:([0-9]+)\/\S*)/))
        let port = try #require(UInt16(found.output.2))
        return RelayPage(
            program: program, link: String(found.output.1), client: WebClient(port))
    }

    private func hello(of stream: EventStreamReader) async throws -> ServerSentEvent {
        try await stream.wait(for: "hello") { $0.name == "hello" }
    }

    @Test func page_hasTheEvent_whileTheHostLives_andAfterwards() async throws {
        let page = try await WebRoom.open()
        try await page.tell(numbered(1...3))
        let relay = try await relay(of: page)
        let stream = try await relay.client.events()
        let hello = try await hello(of: stream)
        #expect(
            hello.data.contains(#""eventName":"Town Hall""#) && hello.data.contains(#""via":""#))
        #expect(hello.data.contains(#""state":"live""#) && !hello.data.contains("unheard"))
        try await page.tell("line 4")
        try await stream.wait(forFinal: "line 4")
        #expect(stream.finals == numbered(1...4))
        // Its readers know where the host's own page is.
        #expect(hello.data.contains("http:\\/\\/127.0.0.1:\(page.client.port)"), "\(hello.data)")
        page.host.kill()
        try await page.host.waitForExit()
        let text = try await relay.client.ask("/transcript.txt").text
        #expect((1...4).allSatisfy { text.contains("line \($0)") })
        try await stream.wait(for: "word that the host is not heard", within: .seconds(60)) {
            $0.name == "beat" && $0.data.contains(#""unheard":"#)
        }
    }

    /// Words come: that the host is not heard is nothing that its readers need to know.
    @Test func page_saysWhoCaptionsForTheHost_onceItIsGone() async throws {
        let page = try await WebRoom.open("--admit", "all")
        let standby = try await Holder.open(
            ["host", "--standby", "Town Hall", "--until-eof"], of: page.room.address)
        try await standby.program.waitForLine(containing: "Let in", on: .standardError)
        try await page.host.waitForLine(
            containing: "serves the event to others", on: .standardError)
        try await page.tell("line 1")
        let relay = try await relay(of: page)
        let stream = try await relay.client.events(of: "all")
        try await stream.wait(forFinal: "line 1")
        try await page.host.killed()
        try await standby.program.waitForLine(
            containing: "You caption from now on", on: .standardError)
        try await standby.program.write("line 2\n")
        try await stream.wait(forFinal: "line 2", within: .seconds(60))
        let beat = try await stream.wait(for: "who captions", within: .seconds(60)) {
            $0.name == "beat" && $0.data.contains(#""standIn":"Standby""#)
        }
        #expect(beat.data.contains(#""state":"live""#) && !beat.data.contains("unheard"))
        let text = try await relay.client.ask("/transcript.txt?log=all").text
        #expect(text == "line 1\n[Standby] line 2\n")
        // The host's own captions alone are those of nobody.
        let own = try await relay.client.events(of: "floor")
        try await own.wait(for: "word that the host is not heard", within: .seconds(60)) {
            $0.data.contains(#""unheard":"#) && !$0.data.contains("standIn")
        }
        standby.program.closeInput()
        try await stream.wait(for: "the end of the captions", within: .seconds(60)) {
            $0.name == "beat" && $0.data.contains(#""state":"ended""#)
                && !$0.data.contains("unheard")
        }
    }

    /// The numbers of a host that was started anew are those of another run.
    @Test func stream_ends_whenTheHostIsBack_andGoesOnBehindItsLastLine() async throws {
        let page = try await WebRoom.open()
        try await page.tell(numbered(1...3))
        let relay = try await relay(of: page)
        let stream = try await relay.client.events()
        try await stream.wait(forFinal: "line 3")
        page.host.kill()
        try await page.host.waitForExit()
        let second = try await Room.resume(in: page.room.folder)
        try await second.tell("line 4")
        try await stream.readToEnd()
        #expect(stream.isComplete && stream.finals == numbered(1...3))
        let again = try await relay.client.events(after: 3)
        #expect(try await hello(of: again).data.contains(#""runs":[0,3]"#))
        try await again.wait(forFinal: "line 4")
        #expect(again.finals == ["line 4"])
    }

    @Test func page_asksForTheLinkOfTheHosts_whereThereIsACode() async throws {
        let page = try await WebRoom.open(code: "4821-7730")
        try await page.tell("one")
        let relay = try await relay(of: page, code: "4821-7730")
        #expect(relay.token == page.token && page.token != nil)
        #expect(try await relay.client.events().head.status == 401)
        #expect(try await relay.client.ask("/transcript.txt").status == 401)
        let wrong = try await relay.client.ask(
            "/access", by: "POST", body: "AAAAAAAAAAAAAAAAAAAAAA")
        #expect(wrong.status == 403)
        let right = try await relay.client.ask("/access", by: "POST", body: page.token)
        #expect(right.status == 204 && right["set-cookie"] != nil)
    }

    @Test func phones_areToldOfARelay_thatTheOperatorHasNamed_asLongAsItIsThere() async throws {
        let page = try await WebRoom.open("--web-relay", "127.0.0.1")
        let stream = try await page.client.events()
        #expect(try await hello(of: stream).data.contains(#""also":[]"#))
        let relay = try await relay(of: page)
        try await page.host.waitForLine(containing: "Phones read on at", on: .standardError)
        let origin = #""also":["http:\/\/127.0.0.1:\#(relay.client.port)"]"#
        try await stream.wait(for: "word of the relay's page") {
            $0.name == "beat" && $0.data.contains(origin)
        }
        let look = try await page.client.ask("/look")
        let policy = try #require(look["content-security-policy"])
        #expect(policy.contains("connect-src http://127.0.0.1:\(relay.client.port);"))
        #expect(policy.contains("frame-ancestors 'self';"))
        relay.program.kill()
        try await page.host.waitForLine(on: .standardError) {
            $0.contains("left:") || $0.contains("came and went")
        }
        let later = try await hello(of: page.client.events())
        #expect(later.data.contains(#""also":[]"#))
        let rest = try await page.client.ask("/look")
        #expect(rest["content-security-policy"]?.contains("connect-src 'none';") == true)
    }

    @Test func phones_areNotSentToARelay_thatNobodyHasNamed() async throws {
        let page = try await WebRoom.open()
        _ = try await relay(of: page)
        try await page.host.waitForLine(
            containing: "--web-relay 127.0.0.1 sends phones there", on: .standardError)
        let stream = try await page.client.events()
        #expect(try await hello(of: stream).data.contains(#""also":[]"#))
        let beat = try await stream.wait(for: "a beat") { $0.name == "beat" }
        #expect(beat.data.contains(#""also":[]"#))
    }

    @Test func here_saysWhoHasTheEvent_toEverybody_andNothingElse() async throws {
        let page = try await WebRoom.open()
        try await page.tell(numbered(1...3))
        let stream = try await page.client.events()
        let hello = try await hello(of: stream).data
        let session = try #require(hello.firstMatch(of: /"session":"([^"]+)"/)).output.1
        try await stream.wait(forFinal: "line 3")
        for (words, status) in [
            ("session=\(session)&run=1&seq=3", 204), ("session=\(session)&run=1&seq=4", 409),
            ("session=\(session)&run=2&seq=1", 409), ("session=x&run=1&seq=3", 409),
            ("session=\(session)&run=1", 409), ("session=\(session)&run=x&seq=3", 409), ("", 409),
        ] {
            let answer = try await page.client.ask("/here?" + words)
            #expect(answer.status == status, "\(words)")
            #expect(answer["access-control-allow-origin"] == (status == 204 ? "*" : nil))
            #expect(!answer.text.contains("line"))
        }
    }

    @Test(arguments: [
        (["--qr", "a.png"], "--qr needs --web"), (["--web", "x"], "not 'x'"),
        (["--web-name", "a"], "--web-name needs --web"), (["--web-metrics"], "needs --web"),
        (["--web", "8080", "--web-tls", "a"], "two files"),
    ])
    func relay_endsWithCode64_whenCalledWrongly(_ options: [String], _ why: String) async throws {
        let words = ["relay", "--host", "192.0.2.7"] + options
        let relay = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        try await relay.expectExit(64)
        #expect(relay.standardErrorText.contains(why))
    }

    @Test func relay_endsWithCode71_whereThePagesPortIsTaken() async throws {
        let page = try await WebRoom.open()
        let taken = try TCPSocket.listening()
        let words = ["relay", "--host", page.room.address, "--no-ble"] + Room.quiet(port: 0)
        let relay = try RunningProgram(
            .beamscribe(
                words + ["--web", "127.0.0.1:\(taken.port)"], state: TemporaryFolder()))
        try await relay.expectExit(71)
        #expect(relay.standardErrorText.contains("--web PORT"))
    }
}
