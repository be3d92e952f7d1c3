internal import BeamscribeCore
import CUTF8Proc
internal import Glibc

/// Text in the form in which terminals count it best: letters and marks in one scalar where there
/// is one (NFC, UAX #15).
///
/// A sign that NFC would replace by another one stays: ideographs of names (U+F900 and the like)
/// would be other ideographs then.
enum ComposedText {
    /// `text` for the screen; canonically equivalent to it.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mayCompose) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text { result += composed(character) }
        return result
    }

    /// Whether a scalar can be composed with one before it: it is no other than Unicode's
    /// NFC_Quick_Check=Maybe, or near it.
    private static func mayCompose(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        return composing.contains { $0.contains(scalar.value) }
    }

    private static let composing: [ClosedRange<UInt32>] = [
        0x300...0x345, 0x653...0x655, 0x93C...0x93C, 0x9BE...0x9BE, 0x9D7...0x9D7,
        0xB3E...0xB3E, 0xB56...0xB57, 0xBBE...0xBBE, 0xBD7...0xBD7, 0xC56...0xC56,
        0xCC2...0xCC2, 0xCD5...0xCD6, 0xD3E...0xD3E, 0xD57...0xD57, 0xDCA...0xDDF,
        0x102E...0x102E, 0x1161...0x1175, 0x11A8...0x11C2, 0x1B35...0x1B35, 0x3099...0x309A,
        0x110BA...0x110BA, 0x11127...0x11127, 0x1133E...0x11357, 0x114B0...0x114BD,
        0x115AF...0x115AF, 0x11930...0x11930,
    ]

    private static func composed(_ character: Character) -> String {
        let text = String(character)
        let scalars = character.unicodeScalars
        guard scalars.contains(where: mayCompose), let composed = normalized(text),
            composed.unicodeScalars.count < scalars.count,
            !scalars.contains(where: isReplaced)
        else { return text }
        return composed
    }

    /// Whether NFC replaces a scalar that stands alone by another.
    private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
        let alone = String(Character(scalar))
        return normalized(alone).map { !$0.unicodeScalars.elementsEqual([scalar]) } ?? false
    }

    private static func normalized(_ text: String) -> String? {
        text.withCString { bytes -> String? in
            guard let composed = utf8proc_NFC(UnsafePointer(OpaquePointer(bytes))) else {
                return nil
            }
            defer { free(composed) }
            return String(cString: composed)
        }
    }
}
