import BeamscribeCore

/// A key as kitty's keyboard protocol tells it (https://sw.kovidgoyal.net/kitty/keyboard-protocol):
///
///     CSI code : shifted : base ; modifiers : event ; text u
///
/// or `CSI ? flags u`, the answer of a terminal that knows it.
struct KittyKey {
    /// What it is.
    let key: Key

    private static let control = 4
    private static let repeated = 2
    private static let released = 3

    /// - Parameter parameters: what stands between `CSI` and `u`.
    init?(parameters: ArraySlice<UInt8>) {
        let text = String(decoding: parameters, as: UTF8.self)
        guard !text.hasPrefix("?") else {
            key = .releasesAreTold
            return
        }
        let fields = text.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map { Int(bounded: $0) }
        }
        guard let code = fields.first?.first ?? nil else { return nil }
        let second = fields.count > 1 ? fields[1] : []
        // Modifiers are told as one more than their bits.
        let modifiers = (second.first ?? nil).map { max(0, $0 - 1) } ?? 0
        let event = second.count > 1 ? second[1] : nil
        let typed = fields.count > 2 ? Self.character(fields[2].first ?? nil) : nil
        guard let key = Self.key(code, modifiers, event, typed) else { return nil }
        self.key = key
    }

    /// Whether what is told of a key that types nothing is that it is released.
    static func isRelease(_ parameters: ArraySlice<UInt8>) -> Bool {
        parameters.suffix(2).elementsEqual(":3".utf8)
    }

    private static func key(
        _ code: Int, _ modifiers: Int, _ event: Int?, _ typed: Character?
    ) -> Key? {
        let plain = character(code)
        if event == released { return plain.map(Key.released) }
        // A key that is held is pressed once.
        guard event != repeated else { return .unknown }
        if modifiers & control != 0 {
            return plain == "c" ? .interrupt : plain.map(Key.control)
        }
        switch code {
        case 9: return .tab
        case 13: return .enter
        case 27: return .escape
        case 127: return .backspace
        default: return (typed ?? plain).map(Key.character)
        }
    }

    /// A code point that types something, and is not one of the protocol's own for keys that do not.
    private static func character(_ code: Int?) -> Character? {
        guard let code, let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value),
            !(0xE000...0xF8FF).contains(value), SafeText.isSafe(String(scalar))
        else { return nil }
        return Character(scalar)
    }
}
