/// The control sequences that are written, by name. All are ECMA-48 or DEC private modes that a
/// terminal without them ignores.
enum Control {
    /// What is written up to ``endUpdate`` is shown at once, without a half-drawn state.
    static let beginUpdate = "\u{1B}[?2026h"
    static let endUpdate = "\u{1B}[?2026l"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static let wrapOff = "\u{1B}[?7l"
    static let wrapOn = "\u{1B}[?7h"
    static let resetAttributes = "\u{1B}[0m"
    /// To the terminal's other screen, empty and without a cursor; the usual one is kept as it is.
    /// From now on the terminal tells when it is the one that is typed in, and when not.
    static let enterScreen = "\u{1B}[?1049h\u{1B}[?1004h" + hideCursor
    /// Back to the usual screen, with a cursor and ordinary text.
    static let leaveScreen = resetAttributes + "\u{1B}[?1004l\u{1B}[?1049l" + wrapOn + showCursor
    /// From now on the terminal says of what is pasted that it is not typed.
    static let markPastes = "\u{1B}[?2004h"
    static let pastesAsKeys = "\u{1B}[?2004l"
    /// Whether the terminal knows kitty's keyboard protocol: it answers only if it does
    /// (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
    static let askForReleases = "\u{1B}[?u"
    /// From now on it tells all keys by that protocol, with the text that they type, and when they are released.
    static let tellReleases = "\u{1B}[>27u"
    static let ignoreReleases = "\u{1B}[<u"
    static let tellFocus = "\u{1B}[?1004h"
    static let ignoreFocus = "\u{1B}[?1004l"
    /// What is right of the cursor goes.
    static let eraseRight = "\u{1B}[K"
    static let newRow = "\r\n"
    static let rowStart = "\r"
    /// Asks for the cursor: `ESC [ row ; column R` comes among the keys, counted from 1.
    static let askForCursor = "\u{1B}[6n"
    /// To the first column, and everything from there to the end of the screen goes. The erasing
    /// starts in the second column because tmux saves the screen to its scrollback when it is asked
    /// to erase from the top left corner; a footer there would stay in it.
    static let eraseBelow = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"

    /// To the first column of the row `count` rows above.
    static func rowsUp(_ count: Int) -> String {
        count > 0 ? "\r\u{1B}[\(count)A" : "\r"
    }

    /// The first `count` rows, two at least, scroll alone; the cursor goes to the first
    /// (DECSTBM of DEC's VT100).
    static func scrollingRows(_ count: Int) -> String { "\u{1B}[1;\(count)r" }

    static let scrollAll = "\u{1B}[r"

    /// To a column of the row, counted from 1.
    static func column(_ number: Int) -> String { "\u{1B}[\(number)G" }

    /// To the first column of a row of the screen, counted from 1.
    static func row(_ number: Int) -> String { "\u{1B}[\(number);1H" }
}
