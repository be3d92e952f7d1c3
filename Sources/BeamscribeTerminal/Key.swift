/// A key as a terminal reports it.
public enum Key: Equatable, Sendable {
    /// A key that types a character.
    case character(Character)
    /// An arrow.
    case up, down, left, right
    /// A key that moves by a screenful or to an end.
    case pageUp, pageDown, home, end
    /// Return.
    case enter
    /// Escape, pressed alone.
    case escape
    /// Backspace, whichever of its two codes the terminal sends.
    case backspace
    /// The key that removes what is behind the cursor.
    case delete
    /// Tab.
    case tab
    /// A letter together with Ctrl, in lower case, or a closing bracket.
    case control(Character)
    /// Ctrl-C, which arrives as a key while the terminal is in raw mode.
    case interrupt
    /// Text that was pasted, in a terminal that says so (``KeyDecoder``): its lines, and no keys. Tabs
    /// are blanks in it.
    case pasted(String)
    /// The terminal's window has become the one that is typed in, or is so no more.
    case focusGained, focusLost
    /// A key that types a character is released, in a terminal that was asked to tell that.
    case released(Character)
    /// The terminal's answer that it does.
    case releasesAreTold
    /// The terminal's answer where its cursor is, counted from 1; or Shift-F3 or the like, where
    /// the row is the first.
    case cursorAt(row: Int, column: Int)
    /// Any other key, and bytes that are none.
    case unknown
}
