import Foundation
import TestSupport
import Testing

/// The captions as browsers get them.
@Suite struct WebStreamTests {
    @Test func stream_beginsWithHello_andHasTheLinesThatAreThere() async throws {
        let page = try await WebRoom.open("--name", "stage")
        try await page.tell("one", "two")
        let phone = try await page.client.events()
        try await phone.wait(forFinal: "two")
        let hello = try #require(phone.events.first { $0.name == "hello" })
        #expect(phone.events.first?.retry == 1_000)
        let said = hello.object
        #expect(said["eventName"] as? String == "Town Hall")
        #expect(said["deviceName"] as? String == "stage" && said["runs"] as? [Int] == [0])
        #expect(said["session"] as? String == (try SessionFolder(page.room.folder).onlyID()))
        #expect(said["firstSeq"] as? Int == 1 && said["inputAge"] as? Double != nil)
        let clock = try #require(said["timestamp"] as? Double)
        #expect(abs(clock - Date().timeIntervalSince1970) < 20)
        #expect(phone.numbers == [1, 2] && phone.finals == ["one", "two"])
        let line = try #require(phone.events.first { $0.text == "one" }).object
        #expect(line["type"] == nil && line["isFinal"] == nil, "the event says that")
        #expect(line["seq"] as? Int == 1 && line["sentTimestamp"] as? Double != nil)
    }

    @Test func liveLinesAndPartials_arrive() async throws {
        let page = try await WebRoom.open("--input-format", "jsonl")
        let phone = try await page.client.events()
        try await phone.wait(for: "hello") { $0.name == "hello" }
        try await page.tell(WebRoom.partial("good mor", line: 1))
        try await phone.wait(for: "the partial") { $0.name == "partial" && $0.text == "good mor" }
        try await page.tell(WebRoom.final("good morning", line: 1))
        try await phone.wait(forFinal: "good morning")
        let late = try await page.client.events()
        try await late.wait(forFinal: "good morning")
        #expect(late.partials == [])
    }

    @Test func beat_saysThatTheHostIsThere() async throws {
        let page = try await WebRoom.open()
        try await page.tell("one")
        let phone = try await page.client.events()
        for _ in 1...2 {
            let seen = phone.events.count { $0.name == "beat" }
            try await phone.wait(for: "another beat") { _ in
                phone.events.count { $0.name == "beat" } > seen
            }
        }
        let beats = phone.events.filter { $0.name == "beat" }.map(\.object)
        #expect(beats.allSatisfy { $0["lastSeq"] as? Int == 1 })
        let times = beats.compactMap { $0["timestamp"] as? Double }
        #expect(times.count >= 2 && (3.5...12).contains(times[1] - times[0]), "\(times)")
        let ages = beats.compactMap { $0["inputAge"] as? Double }
        #expect(ages.count >= 2 && ages[1] > ages[0])
    }

    // MARK: Where it begins

    @Test(
        arguments: [
            ("?after=2", nil, 3), ("?after=5", nil, 6), ("?after=0", nil, 1), ("", nil, 1),
            ("", "4", 5), ("?after=1", "4", 5), ("?after=4", "0", 1), ("?after=6", nil, 1),
            ("?after=99999999999999999999", nil, 1), ("?after=-1", nil, 1), ("?after=", nil, 1),
            ("?after=x", nil, 1), ("", "x", 1), ("", "-9223372036854775808", 1),
            ("?after=9223372036854775807", nil, 1), ("?after=2", "", 1), ("?x=1&after=3", nil, 4),
            ("?after=2&after=4", nil, 3), ("?after=%32", nil, 3), ("?%61fter=2", nil, 1),
        ] as [(String, String?, Int)])
    func stream_beginsBehindWhatTheReaderHas(
        query: String, last: String?, first: Int
    ) async throws {
        let page = try await WebRoom.open()
        try await page.tell(numbered(1...5))
        let witness = try await page.client.events()
        try await witness.wait(forFinal: "line 5")
        let phone = try await EventStreamReader.open(
            page.client.port, "/events" + query, fields: last.map { ["Last-Event-ID: \($0)"] } ?? []
        )
        // Where it begins is settled before line 6 is there, which "after 6" would skip.
        try await phone.wait(for: "hello") { $0.name == "hello" }
        try await page.tell("line 6")
        try await phone.wait(forFinal: "line 6")
        #expect(phone.numbers == Array(first...6), "\(query) \(last ?? "")")
    }

    // MARK: Slow readers

    @Test func slowReader_getsEveryFinalOnce_andNoPartialThatIsStale() async throws {
        let page = try await WebRoom.open("--input-format", "jsonl")
        let slow = try await page.client.events(receiveBuffer: 4_096)
        let fast = try await page.client.events()
        let words = String(repeating: " and so on", count: 25)
        var said: [String] = []
        // The first half fills what lies between the host and the reader, several times.
        for half in 0..<2 {
            let lines = (1...1_500).map { "line \(half * 1_500 + $0)" + words }
            said += lines
            try await page.tell(
                lines.enumerated().map { WebRoom.final($1, line: half * 1_500 + $0) })
            for number in 1...100 {
                try await page.tell(WebRoom.partial("half \(half) \(number)", line: 9_000 + half))
            }
            try await fast.wait(for: "the newest partial") {
                $0.text == "half \(half) 100"
            }
        }
        try await page.tell(WebRoom.final("the end", line: 9_001))
        try await fast.wait(forFinal: "the end")
        #expect(!slow.hasEnded)
        try await slow.wait(forFinal: "the end")
        #expect(slow.finals == said + ["the end"] && slow.numbers == Array(1...3_001))
        #expect(slow.partials.filter { $0 != "half 0 100" } == [])
        #expect(fast.finals == slow.finals)
    }

    @Test func lateReader_isToldOfTheGap_whenMemoryIsFull() async throws {
        let page = try await WebRoom.openForgetful()
        let phone = try await page.client.events(after: 2)
        try await phone.wait(forFinal: "the end")
        let gap = try #require(phone.events.first { $0.name == "gap" }).object
        let through = try #require(gap["through"] as? Int)
        #expect(gap["from"] as? Int == 3 && through > 100)
        #expect(phone.numbers == Array(through + 1...6_001))
        let text = try await page.client.ask("/transcript.txt").text
        #expect(text.hasPrefix("line \(through + 1) ") && text.hasSuffix("\nthe end\n"))
    }

    // MARK: Alerts and the end

    @Test func end_isTheLastOfTheStream_whichCloses() async throws {
        let page = try await WebRoom.open("--until-eof")
        let phones = [try await page.client.events(), try await page.client.events()]
        try await page.tell("one")
        for phone in phones { try await phone.wait(forFinal: "one") }
        page.host.closeInput()
        for phone in phones {
            try await phone.readToEnd()
            #expect(phone.alerts == ["input_ended", "ended"] && phone.isComplete)
            #expect(phone.events.last?.kind == "ended" && phone.finals == ["one"])
        }
        try await page.host.expectExit(0)
    }

    @Test func event_endsWithItsInput_alsoForPhones() async throws {
        let page = try await WebRoom.open("--until-eof")
        let phone = try await page.client.events()
        try await page.tell(numbered(1...500))
        page.host.closeInput()
        try await phone.readToEnd()
        #expect(phone.finals == numbered(1...500) && phone.events.last?.kind == "ended")
        try await page.host.expectExit(0)
    }

    @Test func hostThatIsStopped_saysSo_asItsLastWord() async throws {
        let page = try await WebRoom.open()
        let phone = try await page.client.events()
        try await page.tell("one")
        try await phone.wait(forFinal: "one")
        page.host.terminate()
        try await phone.readToEnd()
        #expect(phone.events.last?.kind == "host_disconnected" && phone.isComplete)
        #expect(phone.alerts == ["host_disconnected"])
        try await page.host.expectExit(0)
    }

    // MARK: Another host goes on

    @Test func reader_goesOn_whenTheHostWasKilled() async throws {
        let first = try await WebRoom.open(code: "7K3M9-QX2TA")
        let phone = try await first.opened().events()
        try await first.tell(numbered(1...10))
        try await phone.wait(forFinal: "line 10")
        first.host.kill()
        try await first.host.waitForExit()
        try await phone.readToEnd()
        #expect(!phone.isComplete && phone.alerts == [])
        var launch = Launch.beamscribe(
            [
                "host", "--resume", "last", "--bind", "127.0.0.1", "--no-bonjour", "--web",
                "127.0.0.1",
            ],
            state: first.room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = "7K3M9-QX2TA"
        let second = try await WebRoom(Room(launch, first.room.folder))
        #expect(second.link == first.link && second.token != nil)
        try await second.tell(numbered(11...15))
        let back = try await second.opened().events(fields: ["Last-Event-ID: 10"])
        try await back.wait(forFinal: "line 15")
        #expect(phone.finals + back.finals == numbered(1...15))
        let hellos = [phone, back].map { $0.events.first { $0.name == "hello" }?.object ?? [:] }
        #expect(hellos[0]["session"] as? String == hellos[1]["session"] as? String)
        #expect(hellos[1]["runs"] as? [Int] == [0, 10])
    }
}
