import BeamscribeWeb
import TestSupport
import Testing

/// Codes are read by a program that knows nothing of this one.
@Suite(Skip.unless(CodeReader.unavailableReason()), .timeLimit(.minutes(2))) struct QRReadingTests {
    /// With three rows of text beside the code, 80x24 has 21 for it.
    @Test(arguments: Addresses.all, [(80, 21), (200, 60)])
    func halfBlocks_areRead(url: String, size: (columns: Int, rows: Int)) async throws {
        let code = try QRCode(url)
        let rows = try #require(
            QRTerminal.rows(
                of: code, columns: size.columns, rows: size.rows, form: .halfBlocks))
        let drawn = try #require(DrawnCode(rows))
        #expect(try await CodeReader.read(drawn.picture(scale: 6)) == url)
    }

    @Test(arguments: Addresses.all)
    func spaces_areRead(url: String) async throws {
        let rows = try QRTerminal.rows(of: QRCode(url), columns: 100, rows: 50, form: .spaces)
        let drawn = try #require(rows.flatMap(DrawnCode.init))
        #expect(try await CodeReader.read(drawn.picture(scale: 6)) == url)
    }

    @Test(Skip.unless(Cairo.unavailableReason), arguments: Addresses.all)
    func png_isRead(url: String) async throws {
        #expect(try await CodeReader.read(QRSlide(url: url).bytes(as: .png)) == url)
    }

    /// In the slide's own size, and as small as it is in an overview of slides.
    @Test(Skip.unless(Cairo.unavailableReason), arguments: Addresses.all, [1_920, 480])
    func svg_isRead(url: String, width: Int) async throws {
        let drawing = try QRSlide(url: url).bytes(as: .svg)
        #expect(try await CodeReader.read(svg: drawing, width: width) == url)
    }
}
