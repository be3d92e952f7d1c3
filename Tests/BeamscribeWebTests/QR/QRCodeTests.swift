import BeamscribeWeb
import Testing

/// Texts as codes.
@Suite struct QRCodeTests {
    /// The modules on a side of a version's code are 17 and four a version.
    @Test(arguments: [(14, 21), (15, 25), (26, 25), (27, 29), (42, 29), (48, 33), (62, 33)])
    func code_isTheSmallestThatHoldsTheText(bytes: Int, width: Int) throws {
        // Digits and capitals too: they would fit into smaller codes in other modes than bytes.
        for letter in ["a", "A", "7"] {
            #expect(try QRCode(String(repeating: letter, count: bytes)).width == width)
        }
    }

    @Test func code_hasThreeFinders() throws {
        let code = try QRCode(Addresses.all[1])
        let far = code.width - 7
        for (left, top) in [(0, 0), (far, 0), (0, far)] {
            for column in 0..<7 {
                for row in 0..<7 {
                    let fromMiddle = max(abs(column - 3), abs(row - 3))
                    let isBlack = code.isBlack(column: left + column, row: top + row)
                    #expect(isBlack == (fromMiddle != 2))
                }
            }
        }
    }

    @Test func code_isWhiteAround() throws {
        let code = try QRCode("http://localhost/")
        for place in -4..<code.width + 4 {
            #expect(!code.isBlack(column: place, row: -1))
            #expect(!code.isBlack(column: place, row: code.width))
            #expect(!code.isBlack(column: -1, row: place))
            #expect(!code.isBlack(column: code.width, row: place))
        }
    }

    @Test(arguments: ErrorCorrection.allCases)
    func limit_isThatOfTheLargestCode(correction: ErrorCorrection) throws {
        let longest = String(repeating: "x", count: correction.byteLimit)
        #expect(try QRCode(longest, correction: correction).width == 177)
        let error = QRCodeError.tooLong(
            bytes: correction.byteLimit + 1, limit: correction.byteLimit)
        #expect(throws: error) { try QRCode(longest + "x", correction: correction) }
    }

    @Test func length_isCountedInBytes() {
        let text = String(repeating: "é", count: 1_200)
        #expect(throws: QRCodeError.tooLong(bytes: 2_400, limit: 2_331)) { try QRCode(text) }
    }

    @Test func emptyText_isRefused() {
        #expect(throws: QRCodeError.empty) { try QRCode("") }
        #expect(throws: QRCodeError.empty) { try QRSlide(url: "") }
    }

    /// Version 1 holds 14 bytes with M, 11 with Q and 7 with H (ISO/IEC 18004, table 7).
    @Test(arguments: [
        (7, ErrorCorrection.high), (8, .quartile), (11, .quartile), (12, .medium), (14, .medium),
        (2_331, .medium), (1_274, .quartile),
    ])
    func picture_hasAllTheCorrectionThatItsSizeHolds(bytes: Int, correction: ErrorCorrection) throws
    {
        let text = String(repeating: "b", count: bytes)
        let picture = try QRCode(forPictureOf: text)
        #expect(try picture.width == QRCode(text).width)
        if bytes != 1_274 { #expect(try picture == QRCode(text, correction: correction)) }
    }

    @Test func errors_areSentences() {
        let tooLong = "\(QRCodeError.tooLong(bytes: 3_000, limit: 2_331))"
        #expect(
            tooLong
                == "cannot make a QR code of 3000 bytes, it holds 2331 at most; use a shorter address"
        )
        #expect("\(QRCodeError.empty)".contains("nothing"))
    }
}
