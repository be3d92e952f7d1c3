import BeamscribeCore

/// A picture for a slide, 16:9, by which an audience comes to the captions: the code large at the
/// left, beside it what to do, below it the address in large type.
public struct QRSlide: Sendable {
    /// The size of the picture, in pixels of a PNG or units of an SVG.
    public static let size = (width: 1_920, height: 1_080)

    public let text: QRSlideText
    let code: QRCode

    public init(url: String) throws(QRCodeError) {
        code = try QRCode(forPictureOf: url)
        text = QRSlideText(url: url)
    }

    /// Draws the slide.
    ///
    /// - Returns: the bytes of the file.
    public func bytes(as format: QRSlideFormat) throws(QRSlideError) -> [UInt8] {
        let drawn = try draw(format, CairoLibrary())
        return format == .svg ? SVGTitle.inserted(title, into: drawn) : drawn
    }

    /// What those hear who cannot see the slide.
    private var title: String { (text.heading + [text.address]).joined(separator: " ") }

    private func draw(
        _ format: QRSlideFormat, _ cairo: CairoLibrary
    ) throws(QRSlideError) -> [UInt8] {
        let canvas = SlideCanvas(
            width: Self.size.width, height: Self.size.height, format: format, cairo: cairo)
        SlideLayout(canvas: canvas).draw(code, text)
        return try canvas.finish()
    }
}
