import Beamscribe
import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeWeb

/// What an operator does to a transcript is in what phones keep of it.
@Suite struct MarkedTranscriptTests {
    private func export(_ format: String, in folder: TemporaryFolder) async throws -> String {
        var launch = Launch(
            Binary.beamscribe, arguments: ["export", "last", "--format", format])
        launch.environment["XDG_STATE_HOME"] = folder.path
        launch.input = .null
        let program = try RunningProgram(launch)
        #expect(try await program.waitForExit() == .success)
        return program.standardOutputText
    }

    @Test func transcripts_areWhatAnExportMakes_withMarksAndCorrections() async throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        let stage = try await WebStage { $0.storage = .new(SessionStore(in: state)) }
        let server = try await stage.serve()
        let host = stage.host
        await host.mark()
        for text in ["one", "tow", "three"] { _ = await host.type(text, speaker: "Ann") }
        await host.mark()
        _ = await host.correct(2, text: "two")
        _ = await host.type("four")
        await host.mark()
        for format in ["txt", "srt", "vtt", "jsonl"] {
            let answer = try await WebClient(server.port).ask("/transcript.\(format)")
            let expected = try await export(format, in: folder)
            #expect(answer.text == expected, "\(format)")
            #expect(answer.text.contains("two") && !answer.text.contains("tow"))
        }
        let plain = try await WebStage()
        for text in ["one", "tow", "three"] { _ = await plain.host.type(text, speaker: "Ann") }
        let unmarked = try await plain.serve()
        let text = try await WebClient(unmarked.port).ask("/transcript.txt").text
        #expect(try await export("txt", in: folder).count > text.count, "It shows the marks.")
        for (host, server) in [(host, server), (plain.host, unmarked)] {
            await host.stop()
            await server.stop()
        }
    }
}
