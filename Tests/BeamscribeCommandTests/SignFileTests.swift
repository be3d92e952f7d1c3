import Foundation
import TestSupport
import Testing

/// `join --obs FILE`: a file of the newest rows.
@Suite struct SignFileTests {
    private func waitForSign(_ room: Room, _ text: String) async throws {
        try await eventually("the sign \"\(text)\"") {
            try room.folder.read("sign.txt") == text
        }
    }

    private func path(_ room: Room) -> String { room.folder.path(of: "sign.txt") }

    @Test func sign_showsTheNewestRows_correctedAndOpenOnes_andIsEmptyInTheEnd() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined("--obs", path(room))
        try await waitForSign(room, "")
        try await room.tell(#"{"text":"one"}"#, #"{"text":"too"}"#)
        try await waitForSign(room, "one\ntoo")
        try await room.tell(#"{"text":"two","replaces":2}"#)
        try await waitForSign(room, "one\ntwo")
        try await room.tell(#"{"text":"three is op","final":false,"line":"x"}"#)
        try await waitForSign(room, "two\nthree is op")
        let long = "three is a line that is longer than a row"
        try await room.tell(#"{"line":"x","text":""# + long + #" has room for"}"#)
        try await waitForSign(room, long + "\nhas room for")
        room.host.closeInput()
        try await guest.expectExit(0)
        try await waitForSign(room, "")
        #expect(guest.standardOutputLines.count == 4)
    }

    @Test func sign_isAsWideAndHighAsWanted() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined(
            "--obs", path(room), "--obs-lines", "3", "--obs-width", "10", "--obs-finals")
        try await room.tell(#"{"text":"aaaa bbbb cccc dddd"}"#, #"{"text":"x"}"#)
        try await waitForSign(room, "aaaa bbbb\ncccc dddd\nx")
        try await room.tell(#"{"text":"open","final":false}"#, #"{"text":"y","line":"2"}"#)
        try await waitForSign(room, "cccc dddd\nx\ny")
        guest.interrupt()
        try await guest.expectExit(0)
        #expect(try room.folder.read("sign.txt") == "")
    }

    /// A reader that looks all the time sees rows of one moment.
    @Test func sign_isNeverHalf_whileItIsReplaced() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined("--obs", path(room), "--obs-lines", "5")
        let sign = path(room)
        let reader = OwnThread {
            var count = 0
            var last = ""
            while !last.hasSuffix("line 2000") {
                last = try String(contentsOfFile: sign, encoding: .utf8)
                let numbers = last.split(separator: "\n").map { Int($0.dropFirst(5)) ?? -1 }
                let first = numbers.first ?? 0
                // Rows that follow one another, five of them but at the beginning.
                let isWhole = numbers == Array(first..<(first + numbers.count))
                guard isWhole, numbers.count == 5 || first <= 1 else { return "\(last)" }
                count += 1
            }
            return count > 10 ? "" : "read only \(count) times"
        }
        for start in stride(from: 1, to: 2_000, by: 20) {
            try await room.tell(numbered(start...(start + 19)))
        }
        #expect(try await reader.value() == "")
        room.host.closeInput()
        try await guest.expectExit(0)
    }

    @Test func guest_endsWithCode73_whenTheFileIsSomebodysWork_orCannotBeMade() async throws {
        let room = try await Room.open()
        let thesis = String(repeating: "my thesis ", count: 10_000)
        try room.folder.write(thesis, to: "sign.txt")
        let guest = try room.join("--obs", path(room))
        try await guest.expectExit(73)
        #expect(try room.folder.read("sign.txt") == thesis)
        #expect(guest.standardErrorLines.count == 1)
        let lost = try room.join("--obs", room.folder.path(of: "no/such/folder.txt"))
        try await lost.expectExit(73)
    }

    @Test func captionsGoOn_whenTheFileCannotBeReplacedAnyMore() async throws {
        let room = try await Room.open("--until-eof")
        let folder = try room.folder.makeFolder("sign")
        let guest = try await room.joined("--obs", folder + "/sign.txt")
        try FileManager.default.removeItem(atPath: folder)
        try await room.tell("one")
        try await guest.waitForLine(containing: "warning: cannot", on: .standardError)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try await room.tell("two")
        try await eventually("the sign") {
            (try? String(contentsOfFile: folder + "/sign.txt", encoding: .utf8)) == "one\ntwo"
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two"])
        #expect(guest.standardErrorLines.filter { $0.contains("warning:") }.count == 1)
    }
}
