/// What the operator's keys do.
enum ConsoleKind: Equatable {
    /// Another program gives the captions; letters are commands.
    case keys
    /// The captions are typed; commands are keys together with Ctrl.
    case typed
}

/// What decides whether the operator's keys are read, and for what.
struct ConsoleOccasion: Equatable {
    /// `--console` or `--no-console`; nil for neither.
    var wanted: Bool?
    /// Standard input is a terminal, and is the input.
    var readsKeyboard = false
    /// The input may be text as it is typed.
    var takesText = true
    /// That terminal is the one that the user sits at.
    var isOwnKeyboard = false
    /// Standard output or standard error is the terminal that the user sits at.
    var showsAnything = false
    /// The user works with this program now, and not with another.
    var isInForeground = false
    /// Whoever started this wants it to go on by itself: `&` in a script, nohup.
    var isUnattended = false
    /// The terminal cannot move its cursor (`TERM=dumb`).
    var isDumb = false
    /// `--quiet`.
    var isQuiet = false

    /// What the keys do; nil for nothing.
    var kind: ConsoleKind? {
        guard wanted != false, !isDumb, !isUnattended else { return nil }
        if readsKeyboard {
            // A keyboard that is read line by line cannot be read key by key as well; and only the
            // foreground may be typed into.
            return takesText && isOwnKeyboard && isInForeground ? .typed : nil
        }
        return wanted == true || showsAnything && !isQuiet ? .keys : nil
    }
}
