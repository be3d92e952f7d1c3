import BeamscribeTerminal
import FoundationEssentials
import Testing

@Suite struct ReaderSettingsTests {
    private func decoded(_ json: String) throws -> ReaderSettings {
        try JSONDecoder().decode(ReaderSettings.self, from: Data(json.utf8))
    }

    @Test func settings_areAsUsual_whereNothingIsSaid() throws {
        #expect(try decoded("{}") == ReaderSettings())
        #expect(try decoded(#"{"fontSize":20,"width":null}"#) == ReaderSettings())
    }

    @Test func settings_comeBack_asTheyWereWritten() throws {
        var settings = ReaderSettings()
        settings.width = 40
        settings.timestamps = .elapsed
        settings.showsPartials = false
        settings.usesColours = false
        settings.languages = ["en", "pt-BR"]
        let data = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(ReaderSettings.self, from: data) == settings)
    }

    @Test(arguments: [
        #"{"width":"wide"}"#, #"{"width":31}"#, #"{"width":501}"#, #"{"timestamps":"sometimes"}"#,
        #"{"partials":1}"#, #"{"languages":"en"}"#,
    ])
    func settings_areRefused_whenAValueIsNone(_ json: String) {
        #expect(throws: DecodingError.self) { try decoded(json) }
    }

    @Test func change_keepsWhatSomebodyElseHasChanged() {
        var old = ReaderSettings()
        old.width = 60
        var new = old
        new.showsPartials = false
        var stored = ReaderSettings()
        stored.timestamps = .clock
        let result = stored.changed(from: old, to: new)
        #expect(result.timestamps == .clock && !result.showsPartials && result.width == nil)
    }
}
