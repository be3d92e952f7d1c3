import Testing

@testable import BeamscribeCommand

@Suite struct CommandNamesTests {
    private let names = CommandNames(
        ["host", "join", "browse", "doctor", "sessions", "export"], aliases: ["guest"])

    @Test(arguments: [
        ("hots", "host"), ("hst", "host"), ("Join", "join"), ("jion", "join"), ("browes", "browse"),
        ("sesions", "sessions"), ("docter", "doctor"), ("expotr", "export"), ("hosts", "host"),
    ])
    func mistypedCommand_getsASuggestion(word: String, meant: String) {
        let words = names.complaint(about: [word, "--event", "X"])
        #expect(words == "there is no command '\(word)'. Did you mean '\(meant)'?")
        #expect(names.complaint(about: ["help", word]) == words)
    }

    @Test(arguments: ["nope", "x", "", "\u{1F600}", String(repeating: "host", count: 50)])
    func commandLikeNone_getsTheirNames(word: String) {
        let words = names.complaint(about: [word])
        #expect(words?.hasSuffix("but host, join, browse, doctor, sessions, export.") == true)
    }

    @Test(arguments: [
        [], ["host"], ["help"], ["help", "host"], ["help", "sessions", "list"], ["--help"],
        ["--version"], ["host", "hots"], ["guest"], ["help", "guest"], ["help", "--help"],
        ["help", "help"],
    ])
    func commandsThatThereAre_areTaken(arguments: [String]) {
        #expect(names.complaint(about: arguments) == nil)
    }
}
