import BeamscribeCore
import BeamscribeTerminal
import Testing

@Suite struct CaptionWidthTests {
    /// The ranges in the core are few; Unicode's own data, by way of utf8proc, is beside them here.
    @Test func characters_areWide_whereTheyAreOnATerminal() {
        var tooNarrow: [String] = []
        var tooWide: [String] = []
        for value in Array(UInt32(0x20)..<0x20000) + stride(from: 0x20000, to: 0x32000, by: 97) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let onTerminal = CharacterWidths.common.columns(of: Character(scalar))
            let inCaption = CaptionWidth.columns(of: Character(scalar))
            if onTerminal == 2, inCaption != 2 { tooNarrow.append(String(value, radix: 16)) }
            // Of newer scripts utf8proc need not know yet that they are wide.
            if value < 0x16FE0, onTerminal == 1, inCaption != 1, scalar.properties.isAlphabetic {
                tooWide.append(String(value, radix: 16))
            }
        }
        #expect(tooNarrow == [])
        #expect(tooWide == [])
    }
}
