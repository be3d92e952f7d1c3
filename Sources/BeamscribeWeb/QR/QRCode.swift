import BeamscribeCore
internal import CQRencode

/// A text as a square of black and white modules (ISO/IEC 18004), without the quiet zone that must
/// be white around it.
public struct QRCode: Equatable, Sendable {
    /// The white modules that belong around a code on each side (ISO/IEC 18004, section 5.3.8).
    public static let quietZone = 4

    /// The modules on a side: 21 to 177.
    public let width: Int
    /// Whether a module is black; row after row, from the top left.
    let modules: [Bool]

    /// Encodes `text` in byte mode, which keeps its letters as they are, in the smallest code that
    /// holds it.
    public init(
        _ text: String, correction: ErrorCorrection = .medium
    ) throws(QRCodeError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= correction.byteLimit else {
            throw .tooLong(bytes: bytes.count, limit: correction.byteLimit)
        }
        // Version 0 asks for the smallest that is large enough.
        guard let made = QRcode_encodeData(Int32(clamping: bytes.count), bytes, 0, correction.level)
        else {
            throw .outOfMemory
        }
        defer { QRcode_free(made) }
        let width = Int(made.pointee.width)
        self.width = width
        // Bit 0 says black; the others say what the module is for.
        modules = UnsafeBufferPointer(start: made.pointee.data, count: width * width)
            .map { $0 & 1 == 1 }
    }

    /// Encodes `text` for a picture: with as much error correction as goes into the size that
    /// medium error correction needs.
    public init(forPictureOf text: String) throws(QRCodeError) {
        let medium = try QRCode(text)
        for correction in [ErrorCorrection.high, .quartile]
        where text.utf8.count <= correction.byteLimit {
            let stronger = try QRCode(text, correction: correction)
            if stronger.width == medium.width {
                self = stronger
                return
            }
        }
        self = medium
    }

    /// Whether the module in a column and a row, from the top left, is black. Around the code all
    /// are white.
    public func isBlack(column: Int, row: Int) -> Bool {
        guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
        return modules[row * width + column]
    }
}
