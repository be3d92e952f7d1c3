internal import CQRencode

/// How much of a QR code may be dirty, hidden or badly lit (ISO/IEC 18004, section 6.5.1). More of
/// it makes a larger code.
public enum ErrorCorrection: CaseIterable, Sendable {
    /// M: 15 % of the code can be lost; for a clean screen.
    case medium
    /// Q: 25 %.
    case quartile
    /// H: 30 %.
    case high

    /// The longest text, in bytes, that the largest code (177 modules wide) holds in byte mode
    /// (ISO/IEC 18004, table 7).
    public var byteLimit: Int {
        switch self {
        case .medium: 2_331
        case .quartile: 1_663
        case .high: 1_273
        }
    }

    var level: QRecLevel {
        switch self {
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }
}
