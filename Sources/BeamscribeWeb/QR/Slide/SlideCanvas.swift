import BeamscribeCore
internal import CCairo

/// A white page to draw on in black, which becomes a file.
///
/// Lengths are in pixels of a PNG, or units of an SVG, from the top left.
///
/// Invariant: `surface` and `context` are released once, `context` first.
final class SlideCanvas {
    private let cairo: CairoLibrary
    private let format: QRSlideFormat
    private let output = CairoOutput()
    private let surface: OpaquePointer?
    private let context: OpaquePointer?

    init(width: Int, height: Int, format: QRSlideFormat, cairo: CairoLibrary) {
        self.cairo = cairo
        self.format = format
        surface =
            switch format {
            case .png:
                cairo.imageSurfaceCreate(
                    CAIRO_FORMAT_RGB24, Int32(clamping: width), Int32(clamping: height))
            case .svg:
                cairo.svgSurfaceCreateForStream(
                    CairoOutput.write, output.closure, Double(width), Double(height))
            }
        context = cairo.create(surface)
        cairo.setSourceRGB(context, 1, 1, 1)
        cairo.paint(context)
        useBlack()
        // The system's usual one; where no font is installed, libcairo has one of its own. That
        // one is not taken everywhere: it has pen strokes and no outlines, and libcairo makes a
        // drawing of three megabytes of them.
        cairo.selectFontFace(
            context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
    }

    deinit {
        cairo.destroy(context)
        // An SVG is written to its end here at the latest, while `output` is still there.
        cairo.surfaceFinish(surface)
        cairo.surfaceDestroy(surface)
    }

    func useBlack() { cairo.setSourceRGB(context, 0, 0, 0) }

    func useWhite() { cairo.setSourceRGB(context, 1, 1, 1) }

    /// Fills what was added by ``addRectangle(x:y:width:height:)``, as one shape.
    func fill() { cairo.fill(context) }

    func addRectangle(x: Int, y: Int, width: Int, height: Int) {
        cairo.rectangle(context, Double(x), Double(y), Double(width), Double(height))
    }

    func fillCircle(x: Double, y: Double, radius: Double) {
        cairo.arc(context, x, y, radius, 0, 2 * .pi)
        cairo.fill(context)
    }

    /// Writes a line of printable ASCII; `y` is its baseline.
    func write(_ text: String, x: Double, y: Double, size: Double) {
        cairo.setFontSize(context, size)
        cairo.moveTo(context, x, y)
        // The outlines, and not the text, so that a drawing needs no font where it is shown.
        cairo.textPath(context, text)
        cairo.fill(context)
    }

    func width(of text: String, size: Double) -> Double {
        var extents = cairo_text_extents_t()
        cairo.setFontSize(context, size)
        cairo.textExtents(context, text, &extents)
        return extents.x_advance
    }

    /// The file's bytes. Nothing can be drawn any more.
    func finish() throws(QRSlideError) -> [UInt8] {
        try check(cairo.status(context))
        if format == .png {
            try check(cairo.surfaceWriteToPNGStream(surface, CairoOutput.write, output.closure))
        }
        cairo.surfaceFinish(surface)
        try check(cairo.surfaceStatus(surface))
        return output.bytes
    }

    private func check(_ status: cairo_status_t) throws(QRSlideError) {
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .drawingFailed(Int(status.rawValue))
        }
    }
}
