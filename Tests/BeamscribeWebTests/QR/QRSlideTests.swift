import TestSupport
import Testing

@testable import BeamscribeWeb

/// Slides as files.
@Suite(Skip.unless(Cairo.unavailableReason)) struct QRSlideTests {
    /// The header of a PNG: its signature, and the size in its first chunk (ISO/IEC 15948).
    @Test func png_isAsLargeAsItSays() throws {
        let bytes = try QRSlide(url: Addresses.all[0]).bytes(as: .png)
        #expect(bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(bytes[16..<24] == [0, 0, 0x07, 0x80, 0, 0, 0x04, 0x38])
        #expect(bytes.count < 500_000)
    }

    @Test(arguments: Addresses.all)
    func svg_hasShapesAlone(url: String) throws {
        let document = try SVGDocument(QRSlide(url: url).bytes(as: .svg))
        #expect(document.elements.first == "svg")
        #expect(document.elements.contains("path"))
        let shapes: Set = ["svg", "title", "g", "rect", "path", "defs", "clipPath"]
        #expect(shapes.isSuperset(of: document.elements))
        #expect(!document.attributes.contains { $0.contains("href") || $0.hasPrefix("on") })
        #expect(!document.values.contains { $0.contains("url(") && !$0.contains("url(#") })
        #expect(document.title == "Captions on your phone " + QRSlideText(url: url).address)
    }

    /// Four modules around the code are free, and are on the slide: around it may be darkness.
    @Test(arguments: Addresses.all + ["a", "http://a/" + String(repeating: "w/", count: 500)])
    func code_hasItsQuietZone(url: String) throws {
        let slide = try QRSlide(url: url)
        let paths = try SVGDocument(slide.bytes(as: .svg)).paths
        let corners = try #require(paths.first)
        let left = try #require(corners.map(\.x).min())
        let right = try #require(corners.map(\.x).max())
        let top = try #require(corners.map(\.y).min())
        let bottom = try #require(corners.map(\.y).max())
        #expect(right - left == bottom - top)
        let zone = 4 * (right - left) / Double(slide.code.width)
        #expect(left >= zone && top >= zone)
        let words = paths.dropFirst().flatMap { $0 }
        #expect(!words.isEmpty)
        #expect(words.allSatisfy { $0.x >= right + zone || $0.y >= bottom + zone })
        #expect(words.allSatisfy { $0.x >= 0 && $0.x <= 1_920 && $0.y <= 1_080 })
    }

    @Test func svg_isValid_whateverTheAddress() throws {
        let url = "http://a/?x=1&y=<b>]]>\"'é\u{1}"
        let document = try SVGDocument(QRSlide(url: url).bytes(as: .svg))
        #expect(document.title.hasSuffix(QRSlideText(url: url).address))
        #expect(document.title.hasSuffix("&y=<b>]]>\"'%C3%A9%01"))
    }

    @Test func title_hasNoMarkup_whateverCombinesWithIt() {
        for word in HostileText.words {
            let escaped = SVGTitle.escaped(word)
            #expect(!escaped.utf8.contains { "<>".utf8.contains($0) }, "\(escaped)")
            let ampersands = escaped.utf8.count { $0 == UInt8(ascii: "&") }
            #expect(
                ampersands == escaped.utf8.count { $0 == UInt8(ascii: ";") }
                    - (word.utf8.count { $0 == UInt8(ascii: ";") }))
        }
    }

    /// The token must not be found in a file that shows the address without it.
    @Test func svg_doesNotSpellTheToken() throws {
        let drawing = try QRSlide(url: Addresses.all[1]).bytes(as: .svg)
        #expect(!String(decoding: drawing, as: UTF8.self).contains(Addresses.token))
    }

    @Test(arguments: QRSlideFormat.allCases)
    func slide_isDrawn_ofTheLongestAddress(format: QRSlideFormat) throws {
        let url = "http://a/" + String(repeating: "w.", count: 1_161)
        #expect(url.utf8.count == 2_331)
        #expect(try !QRSlide(url: url).bytes(as: format).isEmpty)
        #expect(throws: QRCodeError.self) { try QRSlide(url: url + "w") }
    }

    @Test func slide_isRefused_whereTheLibraryIsMissing() {
        let missing = #expect(throws: QRSlideError.noCairo) {
            try CairoLibrary("libbeamscribe-has-no-such.so.9")
        }
        #expect(missing.map { "\($0)" }?.contains("install the package libcairo2") == true)
        #expect(throws: QRSlideError.unfitCairo("cairo_arc")) { try CairoLibrary("libc.so.6") }
    }
}
