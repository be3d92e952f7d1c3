import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice
import Foundation
import TestSupport
import Testing

@testable import Beamscribe
@testable import BeamscribeCore

/// What an operator relies on, in the logs of who talks as in the main one.
@Suite(.enabled(if: VoiceLibraries.areHere)) struct TalkersLogsTests {
    private let folder: TemporaryFolder
    private let store: SessionStore
    private let key: HostKey
    private let session = UUID()

    init() throws {
        folder = try TemporaryFolder()
        store = SessionStore(in: StateFolder(environment: ["XDG_STATE_HOME": folder.path]))
        key = try HostKey()
    }

    private func stage(_ change: (inout HostConfiguration) -> Void = { _ in }) throws
        -> TalkersStage
    {
        var configuration = TalkersStage.configuration(
            in: store, by: key, of: session, .new(store))
        change(&configuration)
        return try TalkersStage(configuration)
    }

    /// The same event in another run.
    private func resumed() throws -> TalkersStage {
        try TalkersStage(
            TalkersStage.configuration(
                in: store, by: key, of: session, .resumed(try store.open(session.wireName))))
    }

    /// All that is on the disk.
    private func disk() throws -> String {
        let root = URL(filePath: folder.path)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var text = ""
        while let file = files?.nextObject() as? URL {
            if let data = try? Data(contentsOf: file) {
                text += String(decoding: data, as: UTF8.self)
            }
        }
        return text
    }

    // MARK: Off the record

    @Test func whatIsPrintedOffTheRecord_reachesNobody() throws {
        let stage = try stage()
        stage.talk(1, "Ann")
        stage.commands[0].write("{\"partial\":\"good\"}\n{\"text\":\"good day\"}\n")
        stage.commands[0].write("{\"partial\":\"we come\"}\n")
        #expect(stage.shown.last == "[Ann: we come]")
        stage.goOffRecord()
        #expect(stage.shown.suffix(2).contains("[: ]"), "\(stage.shown)")
        // Its line began before, another ends later; somebody else begins to talk.
        stage.commands[0].write("{\"partial\":\"we come to the secret\"}\n")
        stage.commands[0].write(
            "{\"text\":\"we come to the secret\"}\n{\"partial\":\"secretly\"}\n")
        stage.talk(2, "Bob")
        stage.commands[1].write(
            "{\"partial\":\"a secr\"}\n{\"text\":\"a secret\"}\n{\"partial\":\"secr\"}\n")
        stage.resume()
        stage.commands[0].write("{\"partial\":\"secretly done\"}\n{\"text\":\"secretly done\"}\n")
        stage.commands[0].write("{\"text\":\"and so on\"}\n")
        stage.commands[1].write("{\"text\":\"secretive\"}\n{\"text\":\"hello\"}\n")
        #expect(stage.finals == ["Ann: good day", "Ann: and so on", "Bob: hello"])
        #expect(!stage.shown.contains { $0.contains("secr") }, "\(stage.shown)")
        #expect(stage.late("Ann") == ["Ann: good day", "Ann: and so on"])
        #expect(stage.late("Bob") == ["Bob: hello"] && stage.late().isEmpty)
        stage.close()
        let disk = try disk()
        #expect(disk.contains("and so on") && !disk.contains("secr"))
    }

    /// However slow a command is: what it has not heard it cannot print later.
    @Test func whatIsSaidOffTheRecord_isHeardByNoCommand() throws {
        let stage = try stage()
        stage.talk(1, "Ann", packets: 50)
        stage.goOffRecord()
        stage.machine.pass(.seconds(5))
        let before = stage.commands[0].fed
        stage.talk(1, "Ann", packets: 300)
        stage.talk(2, "Bob", packets: 100)
        #expect(stage.commands[0].fed == before && stage.commands[1].fed == 0)
        stage.resume()
        stage.machine.pass(.seconds(5))
        #expect(stage.commands[0].fed == before && stage.commands[1].fed == 0)
        stage.talk(1, "Ann", packets: 50)
        stage.machine.pass(.seconds(5))
        // Half a second, and the silence behind it.
        #expect((32_000 * 19 / 10...32_000 * 22 / 10).contains(stage.commands[0].fed - before))
    }

    @Test func lastWords_ofWhoGoesOffTheRecord_reachNobody() throws {
        let stage = try stage()
        stage.talk(1, "Ann", packets: 10)
        stage.goOffRecord()
        stage.captions.hear(.gone(1))
        stage.commands[0].write("secret\nbegun in secret")
        stage.commands[0].end(.exited(code: 0), [])
        stage.machine.pass(.seconds(1))
        stage.resume()
        stage.machine.pass(.seconds(20))
        #expect(stage.finals.isEmpty && stage.late("Ann").isEmpty)
        stage.close()
        let disk = try disk()
        #expect(!disk.contains("secret"))
    }

    /// Also of a command that ends and is started again meanwhile, and of an event that ends so.
    @Test func whatWasBegunOffTheRecord_isNotSaidAtTheEnd() throws {
        let stage = try stage()
        stage.talk(1, "Ann")
        stage.goOffRecord()
        stage.commands[0].write("secret one")
        stage.commands[0].end(.signalled(9), [])
        stage.machine.pass(.seconds(2))
        stage.commands[1].write("secret two")
        stage.captions.finish(translated: {}, gone: {})
        stage.commands[1].write(" and more\n")
        stage.machine.pass(.seconds(20))
        #expect(stage.finals.isEmpty)
        stage.close()
        let disk = try disk()
        #expect(!disk.contains("secret"))
    }

    // MARK: Paused

    @Test func whatIsSaidWhilePaused_comesOnce_inOrder_inItsTalkersLog() throws {
        let stage = try stage()
        stage.talk(1, "Ann")
        stage.commands[0].write("{\"partial\":\"on\"}\n{\"text\":\"one\"}\n")
        stage.commands[0].write("{\"partial\":\"tw\"}\n")
        stage.pause()
        stage.talk(2, "Bob")
        stage.commands[0].write("{\"partial\":\"two\"}\n{\"text\":\"two\"}\n")
        stage.commands[1].write("{\"text\":\"hello\"}\n")
        // More than a pipe has room for.
        for number in 3...500 {
            stage.commands[0].write("{\"partial\":\"line\"}\n{\"text\":\"line \(number)\"}\n")
        }
        stage.commands[0].write("{\"partial\":\"beg\"}\n{\"partial\":\"begun\"}\n")
        #expect(stage.finals == ["Ann: one"] && stage.shown.last == "paused")
        #expect(stage.late("Bob").isEmpty)
        stage.resume()
        let said = ["Ann: one", "Ann: two"] + (3...500).map { "Ann: line \($0)" }
        #expect(stage.late("Ann") == said + ["[Ann: begun]"])
        #expect(stage.late("Bob") == ["Bob: hello"] && stage.late().isEmpty)
        #expect(stage.shown.count { $0.hasPrefix("[Ann: b") } == 1)
        stage.pause()
        stage.resume()
        #expect(stage.finals.count == 501)
    }

    /// What an hour's pause brings is bounded, and the command waits then.
    @Test func whatWaits_isBounded_andNothingOfItIsLost() throws {
        let stage = try stage()
        stage.talk(1, "Ann")
        stage.pause()
        for number in 1...Limits.waitingWords {
            #expect(!stage.commands[0].isPaused)
            stage.commands[0].write("{\"text\":\"line \(number)\"}\n")
        }
        #expect(stage.commands[0].isPaused)
        stage.resume()
        #expect(!stage.commands[0].isPaused && stage.late("Ann").count == Limits.waitingWords)
    }

    @Test func whatHasWaited_isThrownAway_offTheRecord() throws {
        let stage = try stage()
        stage.talk(1, "Ann")
        stage.pause()
        stage.commands[0].write("{\"text\":\"secret\"}\n{\"partial\":\"sec\"}\n")
        // In a hurry: both keys at once.
        stage.goOffRecord()
        stage.resume()
        stage.commands[0].write("{\"text\":\"hello\"}\n")
        #expect(stage.finals == ["Ann: hello"] && !stage.shown.contains { $0.contains("sec") })
        stage.close()
        let disk = try disk()
        #expect(!disk.contains("secret"))
    }

    @Test func lastWords_ofWhoGoesWhilePaused_waitToo() throws {
        let stage = try stage()
        stage.talk(1, "Ann", packets: 10)
        stage.pause()
        stage.captions.hear(.gone(1))
        stage.machine.pass(.seconds(3))
        stage.commands[0].write("one\nlast words")
        stage.commands[0].end(.exited(code: 0), [])
        stage.machine.pass(Limits.lastWords * 3)
        #expect(stage.finals.isEmpty)
        stage.resume()
        stage.machine.pass(.seconds(1))
        #expect(stage.finals == ["Ann: one", "Ann: last words"])
        stage.captions.close()
        #expect(stage.finals.count == 2)
    }

    // MARK: Masks, the glossary, corrections

    @Test func masks_glossaryAndCorrections_areSigned_andAreThereInALaterRun() throws {
        let said = [
            "Ann: d*** Kubernetes", "Ann: well sad", ": d*** well said", "Ann: well said",
        ]
        do {
            let stage = try stage {
                $0.wordMask = try? WordMask(list: "darn")
                $0.glossary = try? Glossary(list: "cuber netties = Kubernetes")
            }
            stage.talk(1, "Ann")
            let heard = "darn cuber netties"
            stage.commands[0].write("{\"partial\":\"\(heard)\"}\n{\"text\":\"\(heard)\"}\n")
            stage.commands[0].write("{\"text\":\"well sad\"}\n{\"partial\":\"\(heard)\"}\n")
            #expect(stage.shown.last == "[Ann: d*** Kubernetes]")
            stage.captions.mend(try #require(GlossaryPair(from: "well sad", to: "well said")))
            let ann = stage.sides.log(of: "Ann")?.log.session.wireName
            let correction = "darn well said"
            #expect(
                stage.captions.correct(2, in: ann, text: correction, speaker: nil) == .sent(3))
            stage.commands[0].write("{\"text\":\"well sad\"}\n")
            #expect(stage.late("Ann") == said && stage.late().isEmpty)
            #expect(!stage.shown.contains { $0.contains("darn") || $0.contains("netties") })
            stage.close(.stopped)
        }
        let again = try resumed()
        #expect(again.late("Ann") == said)
        #expect(again.sides.log(of: "Ann")?.log.final(3)?.replaces == 2)
    }

    // MARK: The end

    @Test func lastWords_areWaitedFor_atTheEnd_andSaidOnce() throws {
        try endWithLastWords()
        let again = try resumed()
        #expect(again.late("Ann") == ["Ann: one", "Ann: last words"])
        #expect(again.late("Bob") == ["Bob: two"])
    }

    private func endWithLastWords() throws {
        let stage = try stage()
        var (isSaid, isGone) = (false, false)
        stage.talk(1, "Ann", packets: 10)
        stage.talk(2, "Bob", packets: 10)
        stage.captions.hear(.gone(2))
        stage.captions.finish(translated: { isSaid = true }, gone: { isGone = true })
        stage.talk(3, "Eve")
        #expect(!isSaid && stage.commands.count == 2)
        stage.machine.pass(.seconds(3))
        #expect(stage.commands.allSatisfy { $0.hasAllInput })
        stage.commands[0].write("one\nlast words")
        stage.commands[0].end(.exited(code: 0), [])
        stage.machine.pass(.seconds(1))
        #expect(!isSaid, "Bob's are to come")
        stage.commands[1].write("two\n")
        stage.machine.pass(Limits.lastWords)
        #expect(isSaid && !isGone)
        stage.commands[1].gone?()
        #expect(isGone)
        stage.close()
        #expect(stage.late("Ann") == ["Ann: one", "Ann: last words"])
        #expect(stage.late("Bob") == ["Bob: two"])
    }

    @Test func nobodyWaits_whoIsInAHurry_orWhileNothingIsToBeSaid() throws {
        for isPaused in [false, true] {
            let stage = try TalkersStage(
                TalkersStage.configuration(in: store, by: key, of: UUID(), .new(store)))
            var isSaid = false
            stage.talk(1, "Ann", packets: 10)
            if isPaused { stage.pause() }
            stage.commands[0].write("one\n")
            stage.captions.finish(translated: { isSaid = true }, gone: {})
            #expect(isSaid == isPaused)
            stage.captions.hurry()
            #expect(isSaid && stage.commands[0].gone != nil)
            #expect(stage.late("Ann") == (isPaused ? [] : ["Ann: one"]))
        }
    }
}
