/// The form of a slide's file.
public enum QRSlideFormat: CaseIterable, Sendable {
    /// A picture of 1920 x 1080 pixels (ISO/IEC 15948).
    case png
    /// A drawing that is sharp in any size (W3C, SVG 1.1).
    case svg

    /// The format that a file's name asks for by its ending, in small or capital letters.
    public init(file name: String) throws(QRSlideError) {
        let name = name.lowercased()
        if name.hasSuffix(".png") {
            self = .png
        } else if name.hasSuffix(".svg") {
            self = .svg
        } else {
            throw .unknownEnding
        }
    }
}
