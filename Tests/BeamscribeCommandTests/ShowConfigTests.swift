import TestSupport
import Testing

/// `join --show-config`, and what is made of the file that it tells of.
@Suite struct ShowConfigTests {
    private func show(
        _ options: String..., with config: String? = nil
    ) async throws -> (RunningProgram, TemporaryFolder) {
        let folder = try TemporaryFolder()
        if let config {
            _ = try folder.makeFolder("config/beamscribe")
            _ = try folder.write(config, to: "config/beamscribe/config.json")
        }
        let program = try RunningProgram(
            .beamscribe(["join", "--show-config"] + options, state: folder))
        try await program.expectExit(0)
        return (program, folder)
    }

    @Test func settings_areTheUsual_withoutAFile() async throws {
        let (program, folder) = try await show()
        let path = folder.path(of: "config/beamscribe/config.json")
        #expect(
            program.standardOutputText == """
                {
                  "path" : "\(path)",
                  "settings" : {
                    "colours" : true,
                    "languages" : [

                    ],
                    "partials" : true,
                    "timestamps" : "off"
                  }
                }

                """)
        #expect(program.standardErrorText == "")
    }

    @Test func options_countMoreThanTheFile() async throws {
        let (program, _) = try await show(
            "--width", "40", "--no-partials",
            with: #"{"width":60,"timestamps":"elapsed","languages":["fr"]}"#)
        let text = program.standardOutputText
        for part in [
            #""width" : 40"#, #""partials" : false"#, #""timestamps" : "elapsed""#, #""fr""#,
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test(arguments: ["{", "[]", #"{"width":"wide"}"#, #"{"timestamps":"maybe"}"#])
    func file_isNamedAndLeftAlone_whenItIsDamaged(_ config: String) async throws {
        let (program, folder) = try await show(with: config)
        #expect(program.standardErrorLines.count == 1)
        #expect(program.standardErrorText.contains("config/beamscribe/config.json"))
        #expect(program.standardErrorText.contains("mended or removed"))
        #expect(program.standardOutputText.contains(#""timestamps" : "off""#))
        #expect(try folder.read("config/beamscribe/config.json") == config)
    }

    @Test(arguments: [["--width", "31"], ["--width", "x"], ["--timestamps", "often"]])
    func options_areRefused_whenTheyMeanNothing(_ options: [String]) async throws {
        let program = try RunningProgram(
            .beamscribe(["join"] + options, state: try TemporaryFolder()))
        try await program.expectExit(64)
    }
}
