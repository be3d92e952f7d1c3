import TestSupport
import Testing

/// `join --lang TAG`: the reader's choice of languages.
@Suite struct LanguageTests {
    private static let captions = [
        #"{"text":"Good evening.","lang":"en-GB"}"#, #"{"text":"Guten Abend.","lang":"de"}"#,
        #"{"text":"Bonsoir.","lang":"fr"}"#, #"{"text":"[applause]"}"#,
        #"{"text":"Guten Abend!","replaces":2}"#,
    ]

    private func heard(_ options: String...) async throws -> (text: String, saved: String) {
        try await heard(options)
    }

    private func heard(_ options: [String]) async throws -> (text: String, saved: String) {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let words = options + ["--save", room.folder.path(of: "saved.txt")]
        let guest = try RunningProgram(room.launchOfGuest(words))
        try await guest.waitUntilJoined()
        room.host.closeInput()
        try await guest.expectExit(0)
        return (guest.standardOutputText, try room.folder.read("saved.txt"))
    }

    @Test func guest_showsAndSaves_theLanguageThatIsWanted() async throws {
        let english = try await heard("--lang", "en")
        #expect(english.text == "Good evening.\n[applause]\n")
        #expect(english.saved == english.text)
        let german = try await heard("--lang", "DE")
        let expected = "Guten Abend.\n[applause]\n(correction to line 2) Guten Abend!\n"
        #expect(german.text == expected)
    }

    @Test(arguments: [["--lang", "en,fr"], ["--lang", "en", "--lang", "fr"]])
    func guest_showsSeveral(options: [String]) async throws {
        let both = try await heard(options)
        #expect(both.text == "Good evening.\nBonsoir.\n[applause]\n")
    }

    @Test func numbers_areThoseOfTheEvent_inJSON() async throws {
        let text = try await heard("--lang", "fr", "--format", "jsonl").text
        let numbers = text.matches(of: /"seq":(\d+)/).compactMap { Int($0.output.1) }
        #expect(numbers == [3, 4])
        #expect(text.contains(#""history":5"#))
    }

    @Test(arguments: ["", "en,", "e n", "en_GB"])
    func guest_explainsItself_whenTheTagIsNone(tag: String) async throws {
        let room = try await Room.open()
        let guest = try room.join("--lang", tag)
        try await guest.expectExit(64)
        #expect(guest.standardErrorText.contains("pt-BR"))
    }
}
