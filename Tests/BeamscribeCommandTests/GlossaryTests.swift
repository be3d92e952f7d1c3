import Foundation
import TestSupport
import Testing

/// `host --glossary`.
@Suite struct GlossaryTests {
    @Test func readersAndExports_haveWhatWasMeant_andTheLogWhatWasHeard() async throws {
        let folder = try TemporaryFolder()
        let list = folder.path(of: "names.txt")
        try folder.write("cuber netties = Kubernetes\n", to: "names.txt")
        let room = try await Room.open("--until-eof", "--tee", "--glossary", list)
        let guest = try await room.joined("--format", "jsonl")
        try await room.tell(#"{"text":"on cuber netties","final":false,"line":"x"}"#)
        try await guest.waitForLine(containing: #""text":"on Kubernetes""#)
        try await room.tell(#"{"text":"On Cuber netties.","line":"x"}"#, #"{"text":"plain"}"#)
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(!guest.standardOutputText.contains("netties"))
        #expect(room.host.standardOutputText == "On Kubernetes.\nplain\n")
        let export = try RunningProgram(.beamscribe(["export", "last"], state: room.folder))
        try await export.expectExit(0)
        #expect(export.standardOutputText == "On Kubernetes.\nplain\n")
        let log = try SessionFolder(room.folder).log()
        #expect(try String(contentsOfFile: log, encoding: .isoLatin1).contains("Cuber netties"))
    }

    @Test func badList_isRefused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong", to: "names.txt")
        let words = ["host", "--event", "x", "--glossary", folder.path(of: "names.txt")]
        let host = try RunningProgram(.beamscribe(words, state: folder))
        try await host.expectExit(65)
        #expect(host.standardErrorText.contains("line 1, 'wrong', is no entry"))
    }
}
