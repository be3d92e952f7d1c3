import BeamscribeWeb
import Testing

/// The words of a slide, and the form of its file.
@Suite struct QRSlideTextTests {
    @Test func address_canBeTyped_whenThereIsNoToken() {
        let text = QRSlideText(url: "http://192.168.1.20:8080/")
        #expect(text.address == "http://192.168.1.20:8080")
        #expect(text.warning == nil)
        #expect(text.steps[0].joined(separator: " ").contains("same Wi-Fi"))
        #expect(text.steps[0].joined(separator: " ").contains("mobile data"))
        #expect(text.steps[1].joined(separator: " ").contains("type the address"))
    }

    @Test func token_isNotShown() {
        let text = QRSlideText(url: Addresses.all[2])
        #expect(text.address == "https://[fd00::1234:5678:9abc:def0]:18080")
        #expect(text.warning == "Scan the code: the address alone does not open this event.")
        let words = text.heading + text.steps.flatMap { $0 }
        #expect(!words.contains { $0.contains("type") || $0.contains(Addresses.token) })
    }

    @Test(arguments: [
        ("http://a/b/", "http://a/b/"), ("http://a/#", "http://a"), ("http://a", "http://a"),
        ("http://a/é \u{7}", "http://a/%C3%A9%20%07"), ("", ""),
    ])
    func address_isInPrintableASCII(url: String, shown: String) {
        #expect(QRSlideText(url: url).address == shown)
        #expect(QRSlideText(url: url).warning == nil)
    }

    @Test(arguments: [
        ("slide.png", QRSlideFormat.png), ("slide.PNG", .png), ("/tmp/a.b/x.svg", .svg),
        ("x.png.Svg", .svg),
    ])
    func ending_saysTheFormat(name: String, format: QRSlideFormat) throws {
        #expect(try QRSlideFormat(file: name) == format)
    }

    @Test(arguments: ["", "slide", "png", "slide.jpg", "slide.png ", "slide.png/x", "a.svgz"])
    func ending_isRefused_whenItIsAnother(name: String) {
        let error = #expect(throws: QRSlideError.unknownEnding) { try QRSlideFormat(file: name) }
        let sentence = error.map { "\($0)" } ?? ""
        #expect(sentence.contains(".png") && sentence.contains(".svg"))
    }
}
