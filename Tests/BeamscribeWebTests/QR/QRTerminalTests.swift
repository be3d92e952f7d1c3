import BeamscribeCore
import BeamscribeWeb
import Testing

/// Codes as rows of text.
@Suite struct QRTerminalTests {
    /// Version 3: 29 modules, 37 with the quiet zone and 33 with half of it.
    private let code = try! QRCode("http://192.168.1.20:8080/#0123456789abcdef")

    @Test(arguments: [
        (80, 24, 37, 19), (37, 19, 37, 19), (36, 19, 33, 17), (37, 18, 33, 17), (33, 17, 33, 17),
    ])
    func halfBlocks_haveTheWidestQuietZoneThatFits(
        columns: Int, rows: Int, width: Int, height: Int
    ) throws {
        let drawn = try #require(
            QRTerminal.rows(of: code, columns: columns, rows: rows, form: .halfBlocks))
        #expect(drawn.count == height)
        #expect(DrawnCode(drawn)?.columns == width)
        #expect(DrawnCode(drawn)?.quietZone == (width - 29) / 2)
    }

    @Test(arguments: [(74, 37, 37), (200, 60, 37), (73, 37, 33), (74, 36, 33), (66, 33, 33)])
    func spaces_haveTheWidestQuietZoneThatFits(columns: Int, rows: Int, height: Int) throws {
        let drawn = try #require(
            QRTerminal.rows(of: code, columns: columns, rows: rows, form: .spaces))
        #expect(drawn.count == height)
        #expect(DrawnCode(drawn)?.columns == 2 * height)
        #expect(drawn.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test(arguments: [
        (32, 17, QRTerminalForm.halfBlocks), (33, 16, .halfBlocks), (0, 0, .halfBlocks),
        (80, 24, .spaces), (65, 33, .spaces), (66, 32, .spaces),
    ])
    func nothing_isDrawn_whereTheCodeDoesNotFit(columns: Int, rows: Int, form: QRTerminalForm) {
        #expect(QRTerminal.rows(of: code, columns: columns, rows: rows, form: form) == nil)
    }

    @Test func form_isWhatTheTerminalCan() {
        #expect(QRTerminalForm(isUTF8: true, hasColour: true) == .halfBlocks)
        #expect(QRTerminalForm(isUTF8: false, hasColour: true) == .spaces)
        #expect(QRTerminalForm(isUTF8: true, hasColour: false) == nil)
        #expect(QRTerminalForm(isUTF8: false, hasColour: false) == nil)
    }

    @Test(arguments: QRTerminalForm.allCases)
    func rows_setTheirColours_andLeaveNone(form: QRTerminalForm) throws {
        let rows = try #require(
            QRTerminal.rows(of: code, columns: 200, rows: 100, form: form))
        for row in rows {
            #expect(row.hasPrefix("\u{1B}[0;"))
            #expect(row.hasSuffix("\u{1B}[0m"))
            #expect(!row.contains("\n"))
        }
    }

    /// What the rows show is the code, module for module, whatever the code.
    @Test(arguments: QRTerminalForm.allCases)
    func drawing_isTheCode(form: QRTerminalForm) throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 1...200 {
            let address = Addresses.random(using: &generator)
            let correction = try #require(ErrorCorrection.allCases.randomElement(using: &generator))
            let code = try QRCode(address, correction: correction)
            let margin = Bool.random(using: &generator) ? 4 : 2
            let size = code.width + 2 * margin
            let rows = QRTerminal.rows(
                of: code, columns: form == .spaces ? 2 * size : size, rows: size, form: form)
            let drawn = try #require(rows.flatMap(DrawnCode.init))
            var expected = (-margin..<code.width + margin).map { row in
                (-margin..<code.width + margin).map { code.isBlack(column: $0, row: row) }
            }
            if form == .halfBlocks { expected.append(Array(repeating: false, count: size)) }
            #expect(drawn.squares == expected, "\(address)")
        }
    }
}
