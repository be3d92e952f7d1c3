import Foundation
import TestSupport
import Testing

@testable import BeamscribeCommand

/// What others have made up, as a word of a shell: the shells themselves say what it is.
@Suite(.serialized) struct ShellWordTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What `shell` makes of the words, each quoted by ``ShellWord``.
    private func understood(_ words: [String], by shell: String) async throws -> [[UInt8]] {
        let script = words.map { "printf '%s\\n' " + $0 + "\n" }.joined()
        let file = try folder.write(script, to: "script")
        var launch = Launch(shell, arguments: [shell == "fish" ? "--no-config" : "", file])
        launch.arguments.removeAll { $0 == "" }
        launch.directory = folder.path
        launch.input = .null
        let program = try RunningProgram(launch)
        #expect(try await program.waitForExit(within: .seconds(60)) == .success)
        #expect(program.standardErrorText == "")
        return program.standardOutputText.utf8.split(
            separator: 0x0A, omittingEmptySubsequences: false
        )
        .dropLast().map(Array.init)
    }

    private func check(_ shell: String) async throws {
        let names = HostileText.words + HostileText.names(touching: "run")
        let words = try await understood(names.map { ShellWord($0).quoted }, by: shell)
        #expect(words.count == names.count)
        for (name, word) in zip(names, words) where word != Array(name.utf8) {
            Issue.record("\(name.unicodeScalars.map(\.value)) was read as \(word)")
        }
        #expect((try? folder.read("run")) == nil)
    }

    @Test(arguments: ["sh", "bash"])
    func quotedWord_isThatWord_toAnyShell(shell: String) async throws { try await check(shell) }

    @Test(Skip.without("zsh")) func quotedWord_isThatWord_toZsh() async throws {
        try await check("zsh")
    }

    @Test(Skip.without("fish")) func quotedWord_isThatWord_toFish() async throws {
        try await check("fish")
    }

    @Test func plainWord_hasNothingThatAShellWouldRead() {
        let plain = HostileText.words.filter { ShellWord($0).isPlain }
        #expect(Set(plain) == ["-", "--", ".", "..", "/", "//", "_", "__"])
        #expect(!ShellWord("").isPlain && ShellWord("963435f3").isPlain)
    }

    /// Bash inserts what is offered behind what stays; the two together must be the name.
    @Test(arguments: ["", "'", "\"", "a", "'a", "\"a", "a\\ ", "'a '", "a' ", "a\" ", "x:"])
    func offeredWord_isTheName_behindWhatWasTyped(typed: String) async throws {
        let beginning = typed.filter { !"'\"\\".contains($0) }
        let names = (HostileText.words + HostileText.names(touching: "run")).map { beginning + $0 }
        // Readline replaces what stands behind the quote that is open, or behind a colon.
        let replaced = String(
            typed.drop { _ in false }.reversed().prefix { !"'\":".contains($0) }.reversed())
        let kept = String(typed.dropLast(replaced.count))
        let line = "true; beamscribe join " + typed
        let word = try #require(BashWord(line: line, replaced: replaced))
        #expect(word.typed == beginning)
        let offered = names.compactMap { name in
            word.completions([name]).first.map { (name, kept + $0) }
        }
        #expect(offered.count > names.count / 2)
        if typed.allSatisfy({ $0 != "\"" }) { #expect(offered.count > names.count * 9 / 10) }
        let words = try await understood(offered.map(\.1), by: "bash")
        #expect(words == offered.map { Array($0.0.utf8) })
        #expect((try? folder.read("run")) == nil)
    }

    @Test(arguments: ["$(touch x)", "`x`", "\"$HOME", "a\\", "a$"])
    func nothing_isOffered_whereTheShellWouldHaveToExpand(typed: String) {
        #expect(BashWord(line: "beamscribe join " + typed, replaced: typed) == nil)
    }

    @Test func names_areAllQuoted_whereOneHasToBe() throws {
        let word = try #require(BashWord(line: "beamscribe join T", replaced: "T"))
        #expect(
            word.completions(["Tonight", "Town Hall", "Kino"]) == ["'Tonight'", "'Town Hall'"])
        #expect(word.completions(["Tonight", "Kino"]) == ["Tonight"])
    }

    /// `join --exec=...` runs a command for each caption.
    @Test func nameThatIsAnOption_isNotOffered() throws {
        let names = ["--exec=touch run", "-v", "Kino"]
        let word = try #require(BashWord(line: "beamscribe join ", replaced: ""))
        for shell in ["bash", "zsh", "fish"] {
            #expect(Completions.words(names, for: shell, typing: word) == ["Kino"])
        }
    }

    @Test func olderScript_isGivenPlainWordsOnly() {
        let names = HostileText.words + HostileText.names(touching: "run") + ["Kino"]
        let offered = Completions.words(names, for: "bash", typing: nil)
        #expect(offered.allSatisfy { $0.utf8.allSatisfy { "./_-Kino".utf8.contains($0) } })
        #expect(offered.contains("Kino"))
    }
}
