import Foundation
import TestSupport
import Testing

/// A session that another host goes on with.
@Suite struct ResumeTests {
    @Test func waitingGuest_goesOnWhereItWas_whenTheHostWasKilled() async throws {
        let first = try await Room.open()
        let guest = try first.join("--format", "jsonl")
        let plain = try await first.joined()
        try await first.tell(numbered(1...10))
        try await plain.waitForLines(10)
        try await guest.waitForLine(containing: "line 10")
        first.host.kill()
        try await first.host.waitForExit()
        let second = try await Room.resume(in: first.folder, "--until-eof")
        #expect(second.port == first.port)
        try await second.host.waitForLine(containing: "after 10 lines", on: .standardError)
        try await second.tell(numbered(11...20))
        try await plain.waitForLines(20)
        let late = try await second.joined()
        try await late.waitForLines(20)
        try await guest.waitForLine(containing: "line 20")
        second.host.closeInput()
        for guest in [plain, late] {
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == numbered(1...20))
        }
        try await guest.expectExit(0)
        try await second.host.expectExit(0)
        let resumed = guest.standardOutputLines.filter { $0.contains("session_resumed") }
        #expect(resumed.count == 1)
        #expect(!late.standardErrorText.contains("goes on where it was"), "It was not here before.")
        #expect(try SessionFolder(first.folder).texts() == numbered(1...20))
        #expect(try SessionFolder(first.folder).record()["state"] as? String == "ended")
    }

    @Test func guest_isToldThatTheHostIsGone_thenGoesOn_whenItStoppedInOrder() async throws {
        let first = try await Room.open()
        let guest = try first.join("--format", "jsonl")
        try await first.tell("one")
        try await guest.waitForLine(containing: #""text":"one""#)
        first.host.terminate()
        try await first.host.expectExit(0)
        try await guest.waitForLine(containing: #""kind":"host_disconnected""#)
        let lost = try await guest.waitForLine(containing: #""state":"reconnecting""#)
        #expect(lost.contains(#""cause":"host_gone""#))
        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.tell("two")
        try await guest.waitForLine(containing: #""text":"two""#)
        second.host.closeInput()
        try await guest.expectExit(0)
        let texts = guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }
        #expect(texts.count == 2 && texts[1].contains(#""seq":2"#))
    }

    @Test func lostEnd_isTold() async throws {
        let first = try await Room.open()
        let guest = try await first.joined()
        try await first.tell(numbered(1...5))
        try await guest.waitForLines(5)
        let log = URL(fileURLWithPath: try SessionFolder(first.folder).log())
        let notes = log.deletingLastPathComponent().appending(path: "chain")
        try await eventually("the lines are noted") {
            (try? Data(contentsOf: notes))?.isEmpty == false
        }
        first.host.kill()
        try await first.host.waitForExit()
        let file = try FileHandle(forWritingTo: log)
        try file.truncate(atOffset: 0)
        try file.close()
        let second = try await Room.resume(in: first.folder, "--until-eof")
        let told = try await second.host.waitForLine(
            containing: "The end of the session's log is gone", on: .standardError)
        #expect(told.contains("what is said now gets these numbers"))
        second.host.closeInput()
        try await second.host.expectExit(0)
    }

    @Test func tornTail_isCutOffAndTold() async throws {
        let first = try await Room.open()
        let guest = try await first.joined()
        try await first.tell(numbered(1...5))
        try await guest.waitForLines(5)
        first.host.kill()
        try await first.host.waitForExit()
        let sessions = SessionFolder(first.folder)
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: try sessions.log()))
        try log.seekToEnd()
        try log.write(contentsOf: [0, 0, 0, 200] + Array(#"{"type":"liveCh"#.utf8))
        try log.close()
        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.host.waitForLine(containing: "19 bytes", on: .standardError)
        try await second.tell("line 6")
        try await guest.waitForLines(6)
        second.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...6))
        #expect(try sessions.texts() == numbered(1...6))
    }

    /// A bad byte in line 3 of 10 costs that line, and nobody who has it already loses it.
    @Test func damagedLine_isAGap_andAllOthersAreKept() async throws {
        let first = try await Room.open()
        let early = try await first.joined()
        try await first.tell(numbered(1...10))
        try await early.waitForLines(10)
        first.host.kill()
        try await first.host.waitForExit()
        let log = URL(fileURLWithPath: try SessionFolder(first.folder).log())
        var bytes = try Data(contentsOf: log)
        let place = try #require(bytes.firstRange(of: Data("line 3".utf8)))
        bytes[place.lowerBound + 1] = 0xFF
        try bytes.write(to: log)
        // A second host that goes on finds the same.
        for (round, word) in ["eleven", "twelve"].enumerated() {
            let host = try await Room.resume(in: first.folder, "--until-eof")
            try await host.host.waitForLine(containing: "line 3 of it", on: .standardError)
            let late = try host.join("--format", "jsonl")
            try await late.waitForLine(containing: #""seq":\#(10 + round)"#)
            try await host.tell(word)
            try await early.waitForLines(11 + round)
            try await late.waitForLine(containing: word)
            let shown = late.standardOutputLines.filter { !$0.contains(#""type":"state""#) }
            let gap = try #require(shown.firstIndex(of: #"{"from":3,"through":3,"type":"gap"}"#))
            #expect(shown[gap - 1].contains("line 2") && shown[gap + 1].contains("line 4"))
            #expect(shown.last { $0.contains(word) }?.contains(#""seq":\#(11 + round)"#) == true)
            host.host.kill()
            try await host.host.waitForExit()
            late.kill()
        }
        early.kill()
        #expect(early.standardOutputLines == numbered(1...10) + ["eleven", "twelve"])
        #expect(try Data(contentsOf: log).starts(with: bytes), "nothing that was there is gone")
        var launch = Launch.beamscribe(["export", "last"], state: first.folder)
        launch.input = .null
        let export = try RunningProgram(launch)
        try await export.expectExit(0)
        let kept = numbered(1...2) + numbered(4...10) + ["eleven", "twelve"]
        #expect(export.standardOutputLines == kept)
        #expect(export.standardErrorText.contains("line 3 of session"))
    }

    /// A signature is a part of a line: what a host sends is JSON to every reader.
    @Test(arguments: [0x01, 0x85] as [UInt8])
    func damagedSignature_isSentToNobody(_ bad: UInt8) async throws {
        let first = try await Room.open()
        let early = try await first.joined()
        for number in 1...5 {
            try await first.tell("line \(number)")
            try await early.waitForLines(number)
        }
        try await first.host.killed()
        let log = URL(fileURLWithPath: try SessionFolder(first.folder).log())
        var bytes = try Data(contentsOf: log)
        let line = try #require(bytes.firstRange(of: Data("line 3".utf8)))
        let place = try #require(
            bytes[line.upperBound...].firstRange(of: Data(#""sig":""#.utf8)))
        bytes[place.upperBound + 20] = bad
        try bytes.write(to: log)
        let second = try await Room.resume(in: first.folder, "--until-eof", "--linger", "0")
        try await second.host.waitForLine(containing: "line 3 of it", on: .standardError)
        try await second.tell("after")
        let late = try second.join()
        try await late.waitForLines(5)
        try await late.waitForLine(
            containing: "line 3 is no longer at the host", on: .standardError)
        let listing = try TemporaryFolder()
        try listing.write(PythonGuestTests.listing(), to: "guest.py")
        let python = try RunningProgram(
            "python3", "-u", listing.path(of: "guest.py"), "127.0.0.1", "\(second.port)")
        try await python.waitForLines(5)
        second.host.closeInput()
        try await python.expectExit(0)
        let others = numbered(1...2) + numbered(4...5) + ["after"]
        #expect(python.standardOutputLines == others && late.standardOutputLines == others)
    }

    /// With so many kibibytes free there may be no room for the new record, for a copy of the 20 KiB
    /// that are torn, or for new lines.
    @Test(Skip.withoutRoot, arguments: [0, 4, 8, 16, 24, 28, 32, 60])
    func nothing_isLost_whenTheDiskIsFull(free: Int) async throws {
        let first = try await Room.open("--until-eof")
        try await first.tell(numbered(1...5))
        first.host.closeInput()
        try await first.host.expectExit(0)
        let sessions = SessionFolder(first.folder)
        let log = URL(fileURLWithPath: try sessions.log())
        let whole = try Data(contentsOf: log)
        let tail = Data([0, 0, 0xFF, 0] + Data(repeating: UInt8(ascii: "x"), count: 20_000))
        try (whole + tail).write(to: log)
        let script = """
            copy=$(mktemp -d) && cp -a "$1/." "$copy" && mount -t tmpfs -o size=256k tmpfs "$1" &&
            cp -a "$copy/." "$1" || exit 99
            dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null
            truncate -s -"$2"k "$1/filler"
            state=$1; shift 2; "$@"; code=$?
            rm -r "$copy" && cp -a "$state/." "$copy" && umount "$state" &&
            cp -a "$copy/beamscribe" "$state" && rm -r "$copy"
            exit $code
            """
        let words = ["host", "--resume", "last", "--until-eof"] + Room.quiet(port: 0)
        var launch = Launch.beamscribe(words, state: first.folder)
        launch.prefix = [
            "unshare", "--mount", "sh", "-c", script, "sh", first.folder.path, "\(free)",
        ]
        let host = try RunningProgram(launch)
        try? await host.write("line 6\n")
        host.closeInput()
        let code = try await host.waitForExit()
        let left = try Data(contentsOf: log)
        let said = host.standardErrorText
        let folder = log.deletingLastPathComponent()
        let copy = try? Data(contentsOf: folder.appending(path: "cut-off-at-\(whole.count)"))
        #expect(
            left.starts(with: whole + tail) || copy == tail && left.starts(with: whole), "\(said)")
        #expect(left.count > whole.count || copy == tail, "\(said)")
        #expect([.exited(0), .exited(74)].contains(code), "\(code): \(said)")
        if free == 0 { #expect(code == .exited(74) && left == whole + tail, "\(said)") }
        if free == 8 { #expect(said.contains("they stay"), "\(said)") }
        if free == 60 { #expect(copy == tail && code == .exited(0), "\(said)") }
    }

    /// A loss of power can take the last second of the log: the numbers come again with other
    /// words, and a guest that had the old ones is told so.
    @Test func guest_isToldWhichLinesTheHostLost_whenThePowerFailed() async throws {
        let first = try await Room.open()
        let guest = try first.join("--format", "jsonl")
        let plain = try await first.joined()
        try await first.tell(numbered(1...5))
        try await plain.waitForLines(5)
        try await guest.waitForLine(containing: "line 5")
        first.host.kill()
        try await first.host.waitForExit()
        let log = try SessionFolder(first.folder).log()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        try bytes.prefix(bytes.count * 3 / 5 + 10).write(to: URL(fileURLWithPath: log))
        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.host.waitForLine(containing: "after 3 lines", on: .standardError)
        try await second.tell("new 4", "new 5", "new 6")
        try await plain.waitForLines(8)
        try await guest.waitForLine(containing: "new 6")
        second.host.closeInput()
        try await guest.expectExit(0)
        try await plain.expectExit(0)
        #expect(guest.standardOutputText.contains(#"{"from":4,"through":5,"type":"withdrawn"}"#))
        #expect(plain.standardOutputLines == numbered(1...5) + ["new 4", "new 5", "new 6"])
        #expect(plain.standardErrorText.contains("lost lines 4 to 5"))
    }

    /// Two runs that could not be told apart would let guests mix up their lines.
    @Test func resume_endsWithCode74_whenTheRunCannotBeNoted() async throws {
        let first = try await Room.open()
        try await first.tell("one")
        first.host.terminate()
        try await first.host.expectExit(0)
        let sessions = SessionFolder(first.folder)
        let folder = (try sessions.log() as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder + "/meta.json.new", withIntermediateDirectories: false)
        let words = ["host", "--resume", "last"] + Room.quiet(port: 0)
        let second = try RunningProgram(.beamscribe(words, state: first.folder))
        try await second.expectExit(74)
        #expect(second.standardErrorLines.last?.contains("cannot go on without that") == true)
        #expect(try sessions.record()["state"] as? String == "stopped")
    }

    // MARK: Which session

    @Test func secondHost_isRefused_whileOneWritesTheSession() async throws {
        let first = try await Room.open()
        let id = try SessionFolder(first.folder).onlyID()
        for wanted in [id, "last", String(id.prefix(8))] {
            let second = try RunningProgram(
                .beamscribe(["host", "--resume", wanted], state: first.folder))
            try await second.expectExit(73)
            #expect(second.standardErrorText.contains("another host"))
        }
        try await first.tell("still here")
        let guest = try await first.joined()
        #expect(try await guest.waitForLines(1) == ["still here"])
    }

    @Test(arguments: ["last", "00000000-0000-0000-0000-000000000000", "no-such", "../../etc"])
    func resume_endsWithCode65_whenThereIsNoSuchSession(wanted: String) async throws {
        let host = try RunningProgram(
            .beamscribe(["host", "--resume", wanted], state: try TemporaryFolder()))
        try await host.expectExit(65)
        #expect(host.standardErrorText.contains("beamscribe sessions"))
        #expect(host.standardErrorLines.count == 1)
    }

    @Test func last_isTheNewestWithALine() async throws {
        let folder = try TemporaryFolder()
        for (event, text) in [("Spoken", "one\n"), ("Silent", "")] {
            let words = ["host", "--event", event, "--until-eof"] + Room.quiet(port: 0)
            let host = try RunningProgram(.beamscribe(words, state: folder))
            try await host.write(text)
            host.closeInput()
            try await host.expectExit(0)
        }
        let room = try await Room.resume(in: folder)
        #expect(room.host.standardErrorText.contains("Hosting \"Spoken\""))
    }

    @Test func last_isTheNewestOfTheEvent_whereOneIsNamed() async throws {
        let folder = try TemporaryFolder()
        for event in ["Morning", "Evening"] {
            let words = ["host", "--event", event, "--until-eof"] + Room.quiet(port: 0)
            let host = try RunningProgram(.beamscribe(words, state: folder))
            try await host.write("\(event)\n")
            host.closeInput()
            try await host.expectExit(0)
        }
        let any = try await Room.resume(in: folder)
        #expect(any.host.standardErrorText.contains("Hosting \"Evening\""))
        any.host.terminate()
        try await any.host.expectExit(0)
        let morning = try await Room.resume(in: folder, "--event", "Morning")
        let guest = try await morning.joined()
        #expect(try await guest.waitForLines(1) == ["Morning"])
    }
}
