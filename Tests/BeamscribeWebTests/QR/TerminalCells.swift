/// A row of a terminal, as colours of the upper and of the lower halves of its cells.
struct TerminalCells {
    /// Whether a half is black.
    private(set) var upper: [Bool] = []
    private(set) var lower: [Bool] = []
    private(set) var isOfBlocks = false
    private var hasInk = false
    private var ink: Bool?
    private var ground: Bool?

    /// Nil where there is anything but black and white, or colours are left set.
    init?(_ row: String) {
        var rest = Substring.UnicodeScalarView(row.unicodeScalars)
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}" {
                guard rest.popFirst() == "[", let end = rest.firstIndex(of: "m") else { return nil }
                let numbers = rest[..<end].split(separator: ";")
                guard set(numbers.map { Int(String($0)) ?? -1 }) else { return nil }
                rest = rest[rest.index(after: end)...]
            } else {
                guard put(scalar) else { return nil }
            }
        }
        guard ink == nil, ground == nil else { return nil }
        // A row that sets an ink has characters to show in it.
        isOfBlocks = hasInk
    }

    /// Select Graphic Rendition (ECMA-48, section 8.3.117).
    private mutating func set(_ parameters: [Int]) -> Bool {
        var rest = parameters[...]
        while let parameter = rest.popFirst() {
            switch parameter {
            case 0: (ink, ground) = (nil, nil)
            case 30, 37:
                ink = parameter == 30
                hasInk = true
            case 40, 47: ground = parameter == 40
            case 38, 48:
                guard rest.popFirst() == 5, let colour = rest.popFirst() else { return false }
                guard colour == 16 || colour == 231 else { return false }
                if parameter == 38 { ink = colour == 16 } else { ground = colour == 16 }
            default: return false
            }
        }
        return true
    }

    private mutating func put(_ scalar: Unicode.Scalar) -> Bool {
        guard let ground else { return false }
        switch (scalar, ink) {
        case (" ", _): append(ground, ground)
        case ("▀", let ink?): append(ink, ground)
        case ("▄", let ink?): append(ground, ink)
        case ("█", let ink?): append(ink, ink)
        default: return false
        }
        return true
    }

    private mutating func append(_ upperHalf: Bool, _ lowerHalf: Bool) {
        upper.append(upperHalf)
        lower.append(lowerHalf)
    }
}
