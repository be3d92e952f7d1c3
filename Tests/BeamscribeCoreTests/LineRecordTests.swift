import BeamscribeCore
import Foundation
import Testing

@Suite struct LineRecordTests {
    private static let guestKeys: Set = ["receivedTimestamp", "latency"]

    /// The object of `text`, without what only a guest can say.
    private func object(_ text: String) throws -> NSDictionary {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let fields = try #require(object as? [String: Any])
        return fields.filter { !Self.guestKeys.contains($0.key) } as NSDictionary
    }

    @Test func exportedLine_isTheOneThatGuestsWrite_withoutTheirTimes() throws {
        var generator = SeededGenerator(seed: 8)
        for seq in 1...1_000 {
            var line = captionLine(
                seq, CaptionText.line(using: &generator) + " \"\\/", at: 1_795_219_606.0904498)
            if seq % 2 == 0 { (line.speaker, line.replaces) = ("\"Ann\"", 7) }
            if seq % 3 == 0 { (line.start, line.end, line.lang) = (0.1, 12_345.678, "en") }
            var guest = EventWriter(.jsonl)
            var exporter = TranscriptExporter(.jsonl, range: 1...1_000)
            let text = exporter.text(for: line)
            #expect(try object(text) == object(guest.text(for: [.line(line)])))
            #expect(!Self.guestKeys.contains { text.contains("\"\($0)\":") })
            let keys = text.matches(of: /[{,]"([A-Za-z]+)":/).map { String($0.1) }
            #expect(Set(["line", "seq", "sentTimestamp", "text", "type"]).isSubset(of: keys))
        }
    }

    @Test func fields_areInAlphabeticalOrder() {
        var line = captionLine(3, "a", at: 1.5)
        (line.start, line.end, line.lang) = (1.25, 2.5, "en")
        (line.speaker, line.replaces, line.of) = ("Ann", 2, 1)
        var exporter = TranscriptExporter(.jsonl, range: 1...9)
        let keys = exporter.text(for: line).matches(of: /"([A-Za-z]+)":/).map { String($0.1) }
        #expect(keys.count == 11 && keys == keys.sorted())
    }
}
