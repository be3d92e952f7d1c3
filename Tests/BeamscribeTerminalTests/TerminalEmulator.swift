import BeamscribeTerminal

/// A terminal that understands what the views write, and traps on anything else.
///
/// Invariant: `lines` is the scrollback followed by exactly `size.rows` rows of screen; the cursor
/// is on the screen.
struct TerminalEmulator {
    /// What a terminal does with its rows when its width changes.
    enum Resizing: CaseIterable {
        /// Wraps lines anew, and fills a screen that grows from the scrollback.
        case reflows
        /// Leaves rows as they are, cut at the edge.
        case cuts
    }

    struct Line: Equatable {
        /// One element a column; nil is the right part of a wide character.
        var cells: [String?] = []
        /// Whether the terminal broke the line here, and it goes on in the next.
        var goesOn = false

        var text: String { cells.compactMap { $0 }.joined() }
    }

    let resizing: Resizing
    /// Whether each scalar is measured for itself, as terminals do that know no clusters.
    let measuresScalars: Bool
    /// The widths that it takes.
    let widths: CharacterWidths
    private(set) var size: TerminalSize
    private(set) var lines: [Line]
    private(set) var top = 0
    private(set) var row = 0
    private(set) var column = 0
    private(set) var isCursorVisible = true
    private(set) var isUpdating = false
    private(set) var wraps = true
    /// The number of rows, from the first, that scroll alone; nil for all.
    private var scrolling: Int?
    private(set) var hasAttributes = false
    private(set) var reportsFocus = false
    private(set) var marksPastes = false
    private var wrapIsPending = false
    /// The usual screen with its scrollback, and where the cursor was, while the other is shown.
    private var usual: (lines: [Line], top: Int, row: Int)?

    var isOnOtherScreen: Bool { usual != nil }

    init(
        size: TerminalSize, resizing: Resizing = .reflows, measuresScalars: Bool = false,
        widths: CharacterWidths = .common
    ) {
        self.size = size
        self.widths = widths
        self.resizing = resizing
        self.measuresScalars = measuresScalars
        lines = Array(repeating: Line(), count: size.rows)
    }

    /// The rows with soft breaks undone, up to the last that is not empty.
    var logicalLines: [String] {
        var joined: [String] = []
        var current = ""
        for line in lines {
            current += line.text
            if line.goesOn { continue }
            joined.append(current)
            current = ""
        }
        while joined.last == "" { joined.removeLast() }
        return joined
    }

    /// The rows of the screen.
    var screen: [String] { lines[top...].map(\.text) }

    mutating func write(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        var printable = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if scalars[index].value >= 0x20 {
                printable.append(scalars[index])
                index += 1
                continue
            }
            print(&printable)
            index += control(scalars[index...])
        }
        print(&printable)
    }

    // MARK: Characters

    private mutating func print(_ scalars: inout String.UnicodeScalarView) {
        if measuresScalars {
            for scalar in scalars { put(Character(scalar)) }
        } else {
            for character in String(scalars) { put(character) }
        }
        scalars = String.UnicodeScalarView()
    }

    private mutating func put(_ character: Character) {
        let width = min(size.columns, widths.columns(of: character))
        guard width > 0 else { return combine(character) }
        if wrapIsPending || column + width > size.columns { makeRoom(width) }
        extend(to: column + width)
        lines[row].cells[column] = String(character)
        for right in 1..<width { lines[row].cells[column + right] = nil }
        column += width
        wrapIsPending = column == size.columns
        if wrapIsPending { column -= 1 }
    }

    private mutating func makeRoom(_ width: Int) {
        wrapIsPending = false
        guard wraps else {
            column = size.columns - width
            return
        }
        lines[row].goesOn = true
        lineFeed()
        column = 0
    }

    private mutating func combine(_ mark: Character) {
        var target = wrapIsPending ? column : column - 1
        while target > 0, lines[row].cells[target] == nil { target -= 1 }
        if target >= 0 { lines[row].cells[target]! += String(mark) }
    }

    /// Makes the row at least `width` columns long.
    private mutating func extend(to width: Int) {
        let missing = width - lines[row].cells.count
        if missing > 0 { lines[row].cells += Array(repeating: " ", count: missing) }
    }

    // MARK: Controls

    private mutating func control(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
        switch scalars.first {
        case "\r": (column, wrapIsPending) = (0, false)
        case "\n": lineFeed()
        default: return escape(scalars)
        }
        return 1
    }

    private mutating func lineFeed() {
        if let scrolling, row == top + scrolling - 1 {
            lines.remove(at: top)
            lines.insert(Line(), at: row)
            return
        }
        if row == lines.count - 1 {
            lines.append(Line())
            top += 1
        }
        row += 1
    }

    private mutating func escape(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
        precondition(scalars.prefix(2).elementsEqual(["\u{1B}", "["]), "not a control sequence")
        let end = scalars.dropFirst(2).firstIndex { $0.value >= 0x40 }!
        let sequence = String(String.UnicodeScalarView(scalars[scalars.startIndex + 2...end]))
        switch sequence {
        case "J": eraseBelow()
        case "K": eraseRow()
        case "C": column = min(column + 1, size.columns - 1)
        case "?2026h", "?2026l": isUpdating = sequence.hasSuffix("h")
        case "?25h", "?25l": isCursorVisible = sequence.hasSuffix("h")
        case "?7h", "?7l": wraps = sequence.hasSuffix("h")
        case "?1004h", "?1004l": reportsFocus = sequence.hasSuffix("h")
        case "?2004h", "?2004l": marksPastes = sequence.hasSuffix("h")
        case "?1049h": enterOtherScreen()
        case "?1049l": leaveOtherScreen()
        case "r": (scrolling, row, column) = (nil, top, 0)
        case "0m": hasAttributes = false
        case "1m", "2m", "7m": hasAttributes = true
        default: move(sequence)
        }
        return end - scalars.startIndex + 1
    }

    private mutating func move(_ sequence: String) {
        if sequence.hasPrefix("1;3"), sequence.hasSuffix("m") {
            hasAttributes = true
        } else if sequence.hasPrefix("1;"), sequence.hasSuffix("r") {
            (scrolling, row, column) = (Int(sequence.dropFirst(2).dropLast())!, top, 0)
        } else if sequence.hasSuffix(";1H") {
            let number = Int(sequence.dropLast(3))!
            precondition((1...size.rows).contains(number), "row \(number) of \(size.rows)")
            (row, column, wrapIsPending) = (top + number - 1, 0, false)
        } else {
            precondition(sequence.hasSuffix("A"), "unknown sequence \(sequence)")
            row = max(top, row - Int(sequence.dropLast())!)
        }
    }

    private mutating func enterOtherScreen() {
        precondition(column == 0, "cursor within a row")
        usual = usual ?? (lines, top, row)
        (lines, top, row) = (Array(repeating: Line(), count: size.rows), 0, 0)
    }

    private mutating func leaveOtherScreen() {
        guard let usual else { return }
        (lines, top, row) = usual
        (column, wrapIsPending, self.usual) = (0, false, nil)
    }

    private mutating func eraseRow() {
        lines[row].cells.removeSubrange(min(column, lines[row].cells.count)...)
        lines[row].goesOn = false
    }

    /// From the top left corner, the screen is saved to the scrollback first, as tmux does it. (On
    /// a screen of one column there is no other place to erase from.)
    private mutating func eraseBelow() {
        if row == top, column == 0, size.columns > 1 {
            let used = lines[top...].lastIndex { $0 != Line() }.map { $0 + 1 - top } ?? 0
            lines += Array(repeating: Line(), count: used)
            (top, row) = (top + used, row + used)
        }
        eraseRow()
        for below in lines.indices where below > row { lines[below] = Line() }
    }

    // MARK: Resizing

    mutating func resize(_ size: TerminalSize) {
        guard var usual else { return resizeScreen(size) }
        let other = (lines: lines, row: row)
        (lines, top, row, column) = (usual.lines, usual.top, usual.row, 0)
        resizeScreen(size)
        usual = (lines, top, row)
        self.usual = usual
        // No terminal wraps its other screen anew.
        (lines, top) = (Array(other.lines.prefix(size.rows)), 0)
        for index in lines.indices where lines[index].cells.count > size.columns {
            lines[index].cells.removeSubrange(size.columns...)
        }
        lines += Array(repeating: Line(), count: size.rows - lines.count)
        (row, wrapIsPending) = (min(other.row, size.rows - 1), false)
    }

    private mutating func resizeScreen(_ size: TerminalSize) {
        while lines.count - 1 > row, lines.last == Line() { lines.removeLast() }
        if resizing == .reflows {
            reflow(columns: size.columns)
            top = max(0, min(row, lines.count - size.rows))
        } else {
            top = max(top, row - size.rows + 1)
        }
        self.size = size
        // What does not fit below the cursor is lost, as in the terminals there are.
        lines = Array(lines.prefix(top + size.rows))
        lines[lines.count - 1].goesOn = false
        lines += Array(repeating: Line(), count: top + size.rows - lines.count)
    }

    private mutating func reflow(columns: Int) {
        precondition(column == 0 && (row == 0 || !lines[row - 1].goesOn), "cursor within a line")
        var wrapped: [Line] = []
        var cells: [String?] = []
        var newRow = 0
        for (index, line) in lines.enumerated() {
            if index == row { newRow = wrapped.count }
            cells += line.cells
            if line.goesOn { continue }
            wrapped += Self.wrap(cells, columns: columns)
            cells = []
        }
        (lines, row) = (wrapped, newRow)
    }

    private static func wrap(_ cells: [String?], columns: Int) -> [Line] {
        var rows = [Line()]
        for (index, cell) in cells.enumerated() {
            let width = 1 + cells[(index + 1)...].prefix { $0 == nil }.count
            let needed = rows[rows.count - 1].cells.count + width
            if cell != nil, needed > columns, !rows[rows.count - 1].cells.isEmpty {
                rows[rows.count - 1].goesOn = true
                rows.append(Line())
            }
            rows[rows.count - 1].cells.append(cell)
        }
        return rows
    }
}
