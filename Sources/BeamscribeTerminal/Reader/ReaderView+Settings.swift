extension ReaderView {
    /// How many columns a key makes lines wider or narrower.
    private static let step = 4

    mutating func changeSettings(_ key: Character) -> ReaderAction? {
        switch key {
        case "t": changeTimestamps()
        case "p": togglePartials()
        case "c": return toggleColours()
        case "<", "-": return narrow()
        default: return widen()
        }
        return .keep(settings)
    }

    private mutating func changeTimestamps() {
        let next: ReaderSettings.Timestamps =
            switch settings.timestamps {
            case .off: .clock
            case .clock: .elapsed
            case .elapsed: .off
            }
        rearrange { $0.settings.timestamps = next }
        switch next {
        case .off: hint("Times: off")
        case .clock: hint("Times: of day")
        case .elapsed: hint("Times: since the first line")
        }
    }

    private mutating func togglePartials() {
        rearrange { $0.settings.showsPartials.toggle() }
        hint(settings.showsPartials ? "Unfinished lines: shown" : "Unfinished lines: hidden")
    }

    private mutating func toggleColours() -> ReaderAction? {
        guard canUseColours else {
            hint("Colours are off for this terminal (NO_COLOR or TERM).")
            return nil
        }
        settings.usesColours.toggle()
        hint(settings.usesColours ? "Colours: on" : "Colours: off")
        return .keep(settings)
    }

    private mutating func narrow() -> ReaderAction? {
        let least = ReaderSettings.widths.lowerBound
        guard layout.columns > least else {
            hint("Narrower than \(least) columns is hard to read.")
            return nil
        }
        return setWidth(max(least, layout.columns - Self.step))
    }

    private mutating func widen() -> ReaderAction? {
        guard settings.width != nil else {
            hint("Lines have all of the terminal.")
            return nil
        }
        let wider = layout.columns + Self.step
        rearrange { $0.settings.width = nil }
        return setWidth(wider < layout.columns ? wider : nil)
    }

    private mutating func setWidth(_ width: Int?) -> ReaderAction? {
        rearrange { $0.settings.width = width }
        hint(width.map { "Width: \($0) columns" } ?? "Width: all of the terminal")
        return .keep(settings)
    }
}
