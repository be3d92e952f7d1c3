internal import BeamscribeCore
import CUTF8Proc

/// Counts the columns of scalars that stand one behind the other.
///
/// A cell is a letter with its marks. What a scalar takes can depend on the scalar before it.
struct ColumnCounter {
    private let widths: CharacterWidths
    private var previous: Unicode.Scalar = " "
    /// The columns of the cell so far.
    private var cell = 0

    init(_ widths: CharacterWidths) { self.widths = widths }

    private static let joiner: Unicode.Scalar = "\u{200D}"

    /// The columns that `scalars` add.
    mutating func add(_ scalars: some Sequence<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + add($1) }
    }

    /// A printable ASCII character has been counted as one column.
    mutating func addPlain(_ scalar: Unicode.Scalar) { (previous, cell) = (scalar, 1) }

    private mutating func add(_ scalar: Unicode.Scalar) -> Int {
        defer { previous = scalar }
        if scalar.isASCII {
            cell = CharacterWidths.isPrintable(UInt8(clamping: scalar.value)) ? 1 : 0
            return cell
        }
        if let columns = part(scalar) { return addPart(columns) }
        cell = base(scalar)
        return cell
    }

    /// A part of a cell never makes it wider than the limit.
    private mutating func addPart(_ columns: Int) -> Int {
        let room = widths.cellLimit.map { max(0, $0 - cell) } ?? columns
        let added = min(columns, room) + (widths.isCautious ? 1 : 0)
        cell += added
        return added
    }

    /// The columns that a scalar adds to its cell; nil if it begins a cell.
    private func part(_ scalar: Unicode.Scalar) -> Int? {
        let value = scalar.value
        if previous == Self.joiner {
            // A terminal with a limit counts by cells, of which emoji with joiners are one.
            if widths.joins || value >= 0x1F000 && widths.cellLimit != nil { return 0 }
        }
        switch value {
        case 0xFE0F:
            return isSign(previous) && widths.emoji.contains(.wideSign) ? 1 : 0
        case 0x1F3FB...0x1F3FF where previous.properties.isEmojiModifierBase:
            return widths.emoji.contains(.skinTone) ? 2 : 0
        case 0x1F1E6...0x1F1FF where Self.isFlagPart(previous):
            return widths.emoji.contains(.wideFlag) ? 2 : 1
        case 0xE0020...0xE007F: return widths.formats.contains(.tags) ? 1 : 0
        case 0x1160...0x11FF: return widths.hangulParts.contains(.usual) ? 1 : 0
        case 0xD7B0...0xD7FF: return widths.hangulParts.contains(.old) ? 1 : 0
        default: break
        }
        if widths.ligatesLamAlef, Self.isAlef(value), Self.isLam(previous) { return 0 }
        return mark(scalar)
    }

    /// The columns of a mark or of a sign that nobody sees; nil for any other scalar.
    private func mark(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar.properties.generalCategory {
        case .spacingMark:
            guard widths.spacingMarks.contains(SpacingMarks(scalar)) else { return 0 }
            return max(1, Int(utf8proc_charwidth(Int32(clamping: scalar.value))))
        case .nonspacingMark, .enclosingMark:
            return widths.newMarks.contains(MarkAges(scalar)) ? 1 : 0
        // A soft hyphen takes a column almost everywhere.
        case .format where scalar.value != 0xAD:
            return widths.formats.contains(FormatSigns(scalar)) ? 1 : 0
        default: return nil
        }
    }

    private func base(_ scalar: Unicode.Scalar) -> Int {
        if Self.isFlagPart(scalar) { return widths.emoji.contains(.wideFlag) ? 2 : 1 }
        if Self.isWide(scalar) { return 2 }
        let columns = Int(utf8proc_charwidth(Int32(clamping: scalar.value)))
        guard columns == 1, !widths.ambiguous.isEmpty else { return columns }
        return widths.ambiguous.contains(AmbiguousCharacters(scalar)) ? 2 : 1
    }

    /// Whether a scalar takes two columns everywhere: ideographs, syllables, emoji, those younger
    /// than utf8proc's tables, too.
    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x1F000, scalar.properties.isEmojiPresentation { return true }
        return scalar.value >= 0x1100 && utf8proc_charwidth(Int32(clamping: scalar.value)) == 2
    }

    private static func isFlagPart(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    /// Whether a scalar is an emoji that is drawn as a sign by default, one column wide.
    private func isSign(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && !scalar.properties.isEmojiPresentation
    }

    private static func isAlef(_ value: UInt32) -> Bool {
        [0x622, 0x623, 0x625, 0x627].contains(value)
    }

    private static func isLam(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x644 }
}
