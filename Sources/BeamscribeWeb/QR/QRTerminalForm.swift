/// How a QR code is put on a terminal.
public enum QRTerminalForm: CaseIterable, Sendable {
    /// Two modules, one above the other, are one character: `▀`, `▄`, `█` or a space. Needs UTF-8.
    case halfBlocks
    /// A module is two spaces in its colour. Needs twice as many columns and rows.
    case spaces

    /// The form for a terminal, or nil for one without colours (`NO_COLOR`, a dumb terminal).
    ///
    /// Without colours there is no code at all, on purpose. The characters would be drawn in the
    /// terminal's own colours; whether these are dark on light or light on dark cannot be known,
    /// and many phones do not read a code that is the wrong way round. An address to type is
    /// better than a code of which the operator cannot say why nobody's phone takes it.
    public init?(isUTF8: Bool, hasColour: Bool) {
        guard hasColour else { return nil }
        self = isUTF8 ? .halfBlocks : .spaces
    }

    /// The character cells that a module takes, from side to side.
    var columnsPerModule: Int { self == .spaces ? 2 : 1 }
    /// The modules that one character cell holds, from top to bottom.
    var modulesPerRow: Int { self == .halfBlocks ? 2 : 1 }
}
