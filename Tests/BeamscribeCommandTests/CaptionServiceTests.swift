import Foundation
import TestSupport
import Testing

/// `join --zoom URL` and `join --youtube URL`: finished lines to where others read them.
@Suite struct CaptionServiceTests {
    private func option(_ service: CaptionServiceStandIn) -> [String] {
        ["--\(service.kind.rawValue)", service.url()]
    }

    private func joined(
        _ room: Room, _ service: CaptionServiceStandIn, _ more: String...
    ) async throws -> RunningProgram {
        let guest = try RunningProgram(room.launchOfGuest(option(service) + more))
        try await guest.waitUntilJoined()
        return guest
    }

    @Test(arguments: CaptionServiceStandIn.Kind.allCases)
    func lines_areSentAsTheyAreShown_fromWhenTheGuestCame(
        _ kind: CaptionServiceStandIn.Kind
    ) async throws {
        let service = try await CaptionServiceStandIn.start(kind)
        let room = try await Room.open("--until-eof")
        try await room.tell(#"{"text":"said before"}"#)
        let guest = try await joined(room, service, "--profanity-filter")
        try await room.tell(
            #"{"text":"Fuck it.","speaker":"Ann","lang":"en-GB"}"#,
            #"{"text":"open","final":false,"line":"x"}"#, #"{"text":"Was & = ü 字","line":"x"}"#)
        try await service.waitForTaken(["Ann: F*** it.", "Was & = ü 字"])
        #expect(service.kind != .zoom || service.has("took 1 en-GB Ann: F*** it."))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["said before", "Ann: F*** it.", "Was & = ü 字"])
        let said = guest.standardErrorLines.filter { $0.contains("captions also") }
        #expect(said.count == 1, "\(said)")
        #expect(said[0].contains("(127.0.0.1:\(service.port))"))
        #expect(!guest.standardErrorText.contains(CaptionServiceStandIn.secret))
    }

    @Test(arguments: CaptionServiceStandIn.Kind.allCases)
    func everyLine_isTakenOnce_whenTheServiceFailsInManyWays(
        _ kind: CaptionServiceStandIn.Kind
    ) async throws {
        let service = try await CaptionServiceStandIn.start(kind)
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, service)
        for (index, what) in ["status 1 503", "drop 2", "lose 2", "garbage 1", "endless 1"]
            .enumerated()
        {
            try await service.plan(what)
            try await room.tell("line \(index + 1)")
            try await service.waitForTaken(numbered(1...(index + 1)))
            try await guest.waitForLines(index + 1)
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(service.taken == numbered(1...5))
        #expect(service.violations == [])
        #expect(!guest.standardErrorText.hasControlCharacters)
    }

    /// The service is gone for a while, and knows afterwards what it had.
    @Test(arguments: CaptionServiceStandIn.Kind.allCases)
    func linesWait_whileTheServiceIsAway_andTroubleIsToldOnce(
        _ kind: CaptionServiceStandIn.Kind
    ) async throws {
        let address = Room.ownAddress()
        let service = try await CaptionServiceStandIn.start(kind, at: address)
        let room = try await Room.open("--until-eof")
        let guest = try RunningProgram(
            room.launchOfGuest(["--\(kind.rawValue)", service.url(at: address)]))
        try await guest.waitUntilJoined()
        try await room.tell("line 1")
        try await service.waitForTaken(["line 1"])
        service.program.stop()
        try await room.tell(numbered(2...4))
        try await guest.waitForLine(containing: "does not take the captions", on: .standardError)
        try await guest.waitForLines(4)
        let again = try await CaptionServiceStandIn.start(
            kind, at: address, port: service.port, last: (1, "line 1"))
        try await again.waitForTaken(numbered(2...4))
        try await guest.waitForLine(containing: "takes the captions again", on: .standardError)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardErrorLines.filter { $0.contains("warning:") }.count == 1)
    }

    @Test(arguments: CaptionServiceStandIn.Kind.allCases)
    func nextGuest_goesOnBehindWhatWasTaken_whenThisOneIsKilled(
        _ kind: CaptionServiceStandIn.Kind
    ) async throws {
        let service = try await CaptionServiceStandIn.start(kind)
        let room = try await Room.open("--until-eof")
        let first = try await joined(room, service)
        try await room.tell("line 1")
        try await service.waitForTaken(["line 1"])
        // Taken, and the guest is killed before it hears of it.
        try await service.plan("drip 1")
        try await room.tell("line 2")
        try await service.waitForTaken(numbered(1...2))
        first.kill()
        _ = try await first.waitForExit()
        try await room.tell("line 3")
        let second = try await joined(room, service, "--no-history")
        try await room.tell("line 4")
        try await service.waitForTaken(numbered(1...4))
        room.host.closeInput()
        try await second.expectExit(0)
        #expect(second.standardOutputLines == ["line 4"], "Its reader wanted no more.")
        #expect(service.taken == numbered(1...4))
    }

    @Test(arguments: CaptionServiceStandIn.Kind.allCases)
    func guestOfAnotherEvent_sendsItsLines_underTheNumbersThatFollow(
        _ kind: CaptionServiceStandIn.Kind
    ) async throws {
        let service = try await CaptionServiceStandIn.start(kind)
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, service)
        try await room.tell("line 1")
        try await service.waitForTaken(["line 1"])
        room.host.closeInput()
        try await guest.expectExit(0)
        // The same machine, whose key the guest knows.
        let words = ["host", "--event", "Another", "--until-eof"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: room.folder))
        let port = try await Room.port(of: host)
        let other = Room(folder: room.folder, host: host, address: "127.0.0.1:\(port)", port: port)
        try await other.tell("said before")
        let next = try await joined(other, service, "--no-history")
        try await other.tell("line 2")
        try await service.waitForTaken(numbered(1...2))
        host.closeInput()
        try await next.expectExit(0)
        #expect(next.standardOutputLines == ["line 2"])
    }

    @Test func end_isNotHeldUp_andSaysWhatWasNotTaken_whenTheServiceHangs() async throws {
        let service = try await CaptionServiceStandIn.start(.zoom)
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, service)
        try await service.plan("hang 9")
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        room.host.closeInput()
        try await guest.expectExit(74)
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.contains("has not taken 3 lines"), "\(last)")
    }

    @Test func refusal_saysWhatToDo_andWhereItIsFollowedTo_nothingIsSent() async throws {
        let service = try await CaptionServiceStandIn.start(.zoom)
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, service)
        try await service.plan("redirect 1")
        try await service.plan("status 99 403")
        try await room.tell("line 1")
        let told = try await guest.waitForLine(
            containing: "does not take the captions", on: .standardError)
        #expect(told.contains("HTTP status 307"))
        room.host.closeInput()
        try await guest.expectExit(74)
        #expect(guest.standardErrorLines.last?.contains("copy it again from the meeting") == true)
        #expect(service.violations == [])
    }

    @Test func position_isPrivate_andTellsNeitherWordsNorTheLink() async throws {
        let service = try await CaptionServiceStandIn.start(.zoom)
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, service, "--exec", "cat /proc/$PPID/cmdline; env")
        try await room.tell("line 1")
        try await service.waitForTaken(["line 1"])
        try await guest.waitForLine(containing: "BEAMSCRIBE_SEQ=1", on: .standardError)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(!guest.standardErrorText.contains(CaptionServiceStandIn.secret))
        let folder = room.folder.path(of: "beamscribe/services")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        for name in names {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            #expect(!text.contains("line 1") && !text.contains(CaptionServiceStandIn.secret))
            #expect(text.contains(#""after":1"#))
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(arguments: ["nonsense", "ftp://example.org/x", "https://", ""])
    func guest_explainsItself_whenTheLinkIsNone(_ url: String) async throws {
        let room = try await Room.open()
        for option in ["--zoom", "--youtube"] {
            let guest = try RunningProgram(room.launchOfGuest([option, url]))
            try await guest.expectExit(64)
            #expect(guest.standardErrorText.contains("\(option) takes the link"))
        }
    }
}
