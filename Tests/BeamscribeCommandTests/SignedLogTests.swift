import Foundation
import TestSupport
import Testing

/// Signed logs between the program and readers, relays and hosts that know nothing of its code
/// (Tests/Support/Peers), and events that are not signed.
@Suite struct SignedLogTests {
    // MARK: A reader of another kind

    /// What the independent reader has checked, which it says at the event's end.
    private struct Report: Decodable {
        var signatures: Int
        var partials: Int
        var heads: Int
    }

    private func reader(_ room: Room, _ options: String...) throws -> RunningProgram {
        try Peer.start("log_reader", ["127.0.0.1", "\(room.port)"] + options)
    }

    private func report(of reader: RunningProgram) throws -> Report {
        let line = try #require(reader.standardOutputLines.last)
        return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }

    @Test func independentReader_provesEveryLine_alsoOfAResumedHost() async throws {
        let first = try await Room.open()
        try await first.tell(numbered(1...300))
        let early = try reader(first)
        try await early.waitForLines(300)
        first.host.kill()
        try await first.host.waitForExit()
        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.tell(numbered(301...310))
        let (late, partly) = (try reader(second), try reader(second, "200"))
        try await late.waitForLines(310)
        try await partly.waitForLines(111)
        try await second.host.write("line 3")
        try await second.tell("11 – \"quoted\" \\ 字幕")
        second.host.closeInput()
        try await late.expectExit(0)
        try await partly.expectExit(0)
        let said = numbered(1...310) + ["line 311 – \"quoted\" \\ 字幕"]
        #expect(late.standardOutputLines.dropLast() == said[...])
        #expect(partly.standardOutputLines.dropLast() == said[199...])
        let checked = try report(of: late)
        #expect(checked.signatures >= 3 && checked.heads >= 1, "\(checked)")
        // A batch costs one signature.
        #expect(checked.signatures < 100, "\(checked)")
    }

    // MARK: A relay that lies

    /// A line whose own signature is gone is proven by the next one's.
    @Test(arguments: ["none", "strip"])
    func guest_readsThroughARelay_thatChangesNoWord(how: String) async throws {
        let (room, relay) = try await relayed(how)
        let guest = try join(relay)
        try await room.tell("one", "two with a lie", "three")
        try await guest.waitForLines(3)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two with a lie", "three"])
    }

    @Test(arguments: [
        "words", "leave-out", "exchange", "twice", "swap", "partial", "head", "record",
        "replay", "run", "silence",
    ])
    func guest_endsWithCode76_andShowsNothingUntrue_whenARelayLies(_ lie: String) async throws {
        let (room, relay) = try await relayed(lie)
        let guest = try join(relay)
        if !["record", "run", "head"].contains(lie) {
            // Told one by one, so that each has a signature.
            for number in 1...3 {
                try await room.tell("line \(number)")
                try await guest.waitForLines(number)
            }
        } else {
            try await room.tell(numbered(1...3))
        }
        for text in ["line 4 with a lie", "line 5", "line 6 with a lie", "line 7"] {
            try await room.tell(text)
        }
        try await room.host.write("open words")
        try await guest.expectExit(76)
        let said = [
            "line 1", "line 2", "line 3", "line 4 with a lie", "line 5", "line 6 with a lie",
            "line 7",
        ]
        let shown = guest.standardOutputLines
        #expect(shown == Array(said.prefix(shown.count)))
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.hasPrefix("beamscribe: ") && last.contains("the host "), "\(last)")
        // What it has is the writer's: it goes on behind that with the host itself.
        #expect(try await room.join().waitForLines(7) == said)
    }

    /// A reader is told and stays: the machine may be the only one there is.
    @Test(.timeLimit(.minutes(3))) func relay_thatLeavesOutALog_isNotBelieved() async throws {
        let room = try await Room.open("--admit", "all")
        let words = ["host", "--into", "Town Hall", "--as", "Room 2", "--host", room.address]
        let writer = try RunningProgram(
            .beamscribe(words + ["--no-ble"], state: try TemporaryFolder()))
        try await writer.waitForLine(containing: "Let in", on: .standardError)
        let relay = try await Peer.listening(
            "log_relay", ["127.0.0.1", "\(room.port)", "new", "other-logs"])
        let guest = try join(relay)
        try await room.tell("one")
        try await writer.write("uno\n")
        try await guest.waitForLines(1)
        try await guest.waitForLine(
            containing: "The event has another log, such as a translation or another room.",
            on: .standardError)
        try await room.tell("two")
        #expect(try await guest.waitForLines(2) == ["one", "two"])
        try await RunningProgram.kill([room.host, writer, relay.program, guest])
    }

    /// A host and a relay to it that has its connection's key.
    private func relayed(_ lie: String) async throws -> (Room, Relay) {
        let room = try await Room.open("--until-eof")
        let key = room.folder.path(of: "beamscribe/host-key.pem")
        return (
            room,
            try await Peer.listening("log_relay", ["127.0.0.1", "\(room.port)", key, lie])
        )
    }

    private typealias Relay = (program: RunningProgram, port: UInt16)

    private func join(_ relay: Relay) throws -> RunningProgram {
        let words = ["join", "--host", "127.0.0.1:\(relay.port)", "--no-ble"]
        return try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
    }

    // MARK: What is not signed

    private func expectUnsigned(_ room: Room, because why: String) async throws {
        try await room.host.waitForLine(containing: why, on: .standardError)
        let reader = try reader(room)
        try await reader.expectExit(1)
        #expect(reader.standardErrorText.contains("the log is not signed"))
    }

    @Test func eventThatWasBegunWithoutSignatures_goesOnWithout_andSaysSo() async throws {
        let first = try await Room.open("--insecure")
        let guest = try await first.joined()
        try await first.tell("one", "two")
        try await guest.waitForLines(2)
        first.host.kill()
        try await first.host.waitForExit()
        let second = try await Room.resume(in: first.folder)
        try await expectUnsigned(second, because: "not signed, as what was said before is not")
        try await second.tell("three")
        try await guest.waitForLines(3)
        #expect(try await second.join().waitForLines(3) == ["one", "two", "three"])
    }

    @Test func eventOfAnotherKey_goesOnWithoutSignatures_andSaysSo() async throws {
        let first = try await Room.open()
        try await first.tell("one")
        #expect(try await first.join().waitForLines(1) == ["one"])
        first.host.kill()
        try await first.host.waitForExit()
        try FileManager.default.removeItem(
            atPath: first.folder.path(of: "beamscribe/host-key.pem"))
        let second = try await Room.resume(in: first.folder)
        try await expectUnsigned(second, because: "signed by another key")
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", second.address], state: TemporaryFolder()))
        #expect(try await guest.waitForLines(1) == ["one"])
    }

    @Test func eventWhoseLogIsDamaged_goesOnWithoutSignatures_forThoseWhoHadThem() async throws {
        let first = try await Room.open()
        let guest = try await first.joined()
        try await first.tell(numbered(1...10))
        try await guest.waitForLines(10)
        first.host.kill()
        try await first.host.waitForExit()
        let log = URL(fileURLWithPath: try SessionFolder(first.folder).log())
        var bytes = try Data(contentsOf: log)
        let place = try #require(bytes.range(of: Data("line 3".utf8)))
        bytes[place.lowerBound] = 0
        try bytes.write(to: log)
        let second = try await Room.resume(in: first.folder)
        try await expectUnsigned(second, because: "the session's log has lost lines")
        try await second.tell("line 11")
        #expect(try await guest.waitForLines(11) == numbered(1...11))
    }

    /// What a disk gives back is a line still, and another one, or has a signature that is none.
    @Test(arguments: ["line 3", #""sig":""#])
    func eventWhoseLogHasOtherBytes_goesOnWithoutSignatures_forEverybody(_ place: String)
        async throws
    {
        let first = try await Room.open()
        let guest = try await first.joined()
        for number in 1...5 {
            try await first.tell("line \(number)")
            try await guest.waitForLines(number)
        }
        let chain = try SessionFolder(first.folder).log().replacing("/log", with: "/chain")
        try await eventually("all lines are noted") {
            (try? Data(contentsOf: URL(fileURLWithPath: chain)).count) == 5 * 40
        }
        first.host.kill()
        try await first.host.waitForExit()
        let log = URL(fileURLWithPath: try SessionFolder(first.folder).log())
        var bytes = try Data(contentsOf: log)
        let found = try #require(bytes.range(of: Data(place.utf8)))
        bytes[found.upperBound - (place == "line 3" ? 1 : 0)] = UInt8(ascii: "!")
        try bytes.write(to: log)
        let second = try await Room.resume(in: first.folder)
        try await expectUnsigned(second, because: "they are not what was signed")
        if place == "line 3" {
            try await second.host.waitForLine(
                containing: "line 3 is not as said", on: .standardError)
        }
        try await second.tell("line 6")
        #expect(try await guest.waitForLines(6) == numbered(1...6))
        #expect(try await second.join().waitForLines(6).suffix(3) == numbered(4...6)[...])
    }
}
