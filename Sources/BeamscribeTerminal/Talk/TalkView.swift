import BeamscribeCore

/// What one's own voice is to the others.
public enum TalkState: Equatable, Sendable {
    /// There is no connection, or not yet.
    case away
    /// One hears the others, and is not heard.
    case listening
    /// One is heard.
    case talking
    /// One is not heard, though nothing else was asked for than to be.
    case muted

    fileprivate var words: String {
        switch self {
        case .away: "NOT CONNECTED"
        case .listening: "listening"
        case .talking: "TALKING"
        case .muted: "muted"
        }
    }
}

/// What ``TalkView`` shows of a moment.
public struct TalkContent: Equatable, Sendable {
    /// What one's own voice is.
    public var state = TalkState.away
    /// Where: the event, the channel and the way there.
    public var place = ""
    /// How loud the own microphone is, in decibels of full scale; nil where it is closed.
    public var level: Double?
    /// The others, in the order of their numbers.
    public var people: [TalkPerson] = []
    /// The microphones and loudspeakers that there are.
    public var devices: [TalkDevice] = []
    /// The caption that is being said now; nil for none.
    public var caption: String?
    /// What the keys do.
    public var help: [String] = []

    /// Nothing is there yet.
    public init() {}
}

/// A microphone or a loudspeaker that may be chosen.
public struct TalkDevice: Equatable, Sendable {
    /// What kind it is, for people.
    public var kind: String
    /// What it is chosen by.
    public var id: String
    /// What people call it.
    public var name: String
    /// Whether it is the one that is used.
    public var isUsed: Bool

    /// A device.
    public init(kind: String, id: String, name: String, isUsed: Bool) {
        (self.kind, self.id, self.name, self.isUsed) = (kind, id, name, isUsed)
    }

    /// `* microphone   USB headset`; the star is for what is used.
    public var text: String { "\(isUsed ? "*" : " ") \(kind)  \(name)" }
}

/// What a key on ``TalkView`` asks for.
public enum TalkAction: Equatable, Sendable {
    /// The key for talking is pressed, or released.
    case key(isDown: Bool)
    /// To talk, or not to talk any more.
    case toggle
    /// Not to be heard.
    case mute
    /// Somebody is to be so much louder, in decibels.
    case volume(of: String, by: Double)
    /// Somebody is not to be heard, or is to be heard again.
    case silence(String)
    /// To go to the next channel.
    case channel
    /// To be told of the devices.
    case devices
    /// To use one of ``TalkContent/devices``.
    case use(TalkDevice)
    /// The end.
    case quit
}

/// The screen of an intercom: whether one is heard in a word, then the others, a row each; what happens scrolls away
/// above. Words and numbers say it all, bars and colours say it again.
///
/// The space bar is held to talk where the terminal tells when a key is released, and begins and ends a talk where it does not.
///
/// Invariant: `isHeld` only where the terminal tells when a key is released.
public struct TalkView: Sendable {
    private let style: TerminalStyle
    private let showsCaptions: Bool
    private var size: TerminalSize
    private var block = Block()
    private var content = TalkContent()
    private var selected = 0
    private var showsHelp = false
    /// Whether digits mean devices.
    private var showsDevices = false
    private var isHeld = false
    private var above = ""
    private var questions = ""
    /// Whether the terminal tells when a key is released.
    public private(set) var tellsReleases = false

    /// Changes of volume are of this size, in decibels.
    private static let step = 3.0

    /// An empty screen.
    ///
    /// - Parameter showsCaptions: whether captions scroll away among what happens, which is marked then.
    public init(size: TerminalSize, style: TerminalStyle, showsCaptions: Bool = false) {
        (self.size, self.style, self.showsCaptions) = (size, style, showsCaptions)
    }

    /// What to write first: the terminal is asked whether it tells when keys are released
    /// (kitty's keyboard protocol), and to tell when it is the one that is typed in.
    public static let beginning = Control.askForReleases + Control.tellReleases + Control.tellFocus

    /// What to write last, after ``finish()``.
    public static let ending = Control.ignoreFocus + Control.ignoreReleases

    /// Shows another moment.
    public mutating func show(_ content: TalkContent) {
        self.content = content
        selected = min(selected, max(0, content.people.count - 1))
    }

    /// Adds a line to what scrolls away.
    public mutating func tell(_ line: String) {
        let line = SafeText.line(line)
        add(showsCaptions ? captionRows.notice(line) : [line])
    }

    /// Adds a caption to what scrolls away.
    public mutating func add(caption: String) { add(captionRows.final(SafeText.line(caption))) }

    private mutating func add(_ rows: [String]) {
        above += rows.map { $0 + Control.newRow }.joined()
    }

    /// The terminal breaks a row that scrolls away, if it counts otherwise.
    private var captionRows: CaptionRows {
        CaptionRows(columns: size.usableColumns, style: style, widths: size.widths)
    }

    /// The screen has another size now, or counts columns in another way.
    public mutating func resize(_ size: TerminalSize) {
        self.size = size
        block.damage()
    }

    /// Puts questions to the terminal with what is written next (``WidthInquiry``).
    public mutating func ask(_ questions: String) { self.questions += questions }

    // MARK: Keys

    /// What `key` asks for; nil where it means nothing, or only changes what is shown.
    public mutating func handle(_ key: Key) -> TalkAction? {
        switch key {
        case .releasesAreTold: tellsReleases = true
        case .character(" "): return press()
        // Whoever types somewhere else has let go of it.
        case .released(" "), .focusLost: return release()
        case .character("m"): return .mute
        case .character("c"): return .channel
        case .character("d"):
            showsDevices.toggle()
            return showsDevices ? .devices : nil
        case .escape: (showsDevices, showsHelp) = (false, false)
        case .character("?"): showsHelp.toggle()
        case .character("q"), .interrupt: return .quit
        case .character("x"): return person.map { .silence($0.name) }
        case .up, .character("+"): return person.map { .volume(of: $0.name, by: Self.step) }
        case .down, .character("-"): return person.map { .volume(of: $0.name, by: -Self.step) }
        case .character(let digit): return select(digit)
        default: break
        }
        return nil
    }

    private mutating func press() -> TalkAction? {
        guard tellsReleases else { return .toggle }
        guard !isHeld else { return nil }
        isHeld = true
        return .key(isDown: true)
    }

    private mutating func release() -> TalkAction? {
        guard isHeld else { return nil }
        isHeld = false
        return .key(isDown: false)
    }

    private mutating func select(_ digit: Character) -> TalkAction? {
        guard digit.isASCII, let number = digit.wholeNumberValue else { return nil }
        if showsDevices {
            guard content.devices.indices.contains(number - 1) else { return nil }
            showsDevices = false
            return .use(content.devices[number - 1])
        }
        if content.people.indices.contains(number - 1) { selected = number - 1 }
        return nil
    }

    private var person: TalkPerson? {
        content.people.indices.contains(selected) ? content.people[selected] : nil
    }

    // MARK: Drawing

    /// All that is to be written now, in one piece; empty if the screen is up to date.
    public mutating func render() -> String {
        defer { (above, questions) = ("", "") }
        return block.update(rows, above: above, asking: questions)
    }

    /// What to write at the end: what happened stays, the rest goes.
    public mutating func finish() -> String {
        defer { above = "" }
        return block.finish(above: above)
    }

    private var rows: [String] {
        let devices = showsDevices ? deviceRows : []
        let help = devices + (showsHelp ? content.help : [])
        let caption = openRows
        let room = max(0, size.rows - 3 - help.count - caption.count)
        let people = content.people.indices.prefix(room).map(row)
        let hidden = content.people.count - people.count
        let rest = hidden > 0 && room > 0 ? [plain("  and \(hidden) more")] : []
        return Array(
            (caption + [headline] + people + rest + help.map(plain) + [status]).suffix(
                max(1, size.rows - 1)))
    }

    /// Of what is being said the last two rows: the rest was to be read before.
    private var openRows: [String] {
        guard let caption = content.caption, size.rows > 6 else { return [] }
        let rows = CaptionRows(
            columns: size.usableColumns, style: style, widths: size.widths.cautious)
        return rows.open(SafeText.line(caption)).suffix(2)
    }

    private var deviceRows: [String] {
        content.devices.isEmpty
            ? ["  no devices are used"]
            : content.devices.prefix(9).enumerated().map { "  \($0 + 1) \($1.text)" }
    }

    private var headline: String {
        let level = content.level.map { "  microphone \(Self.meter($0))" } ?? "  microphone closed"
        let text = size.widths.truncated(
            " \(content.state.words) \(content.state == .away ? "" : level)",
            columns: size.usableColumns)
        switch content.state {
        case .talking: return style.coloured(style.reverse(text), .red)
        case .away, .muted: return style.bold(text)
        case .listening: return text
        }
    }

    /// `> 1 * Ann  -23 dB ######....  good, 34 ms, 0 % lost`; the star is for who talks.
    private func row(_ index: Int) -> String {
        let person = content.people[index]
        let number = index < 9 ? "\(index + 1)" : " "
        let mark = "\(index == selected ? ">" : " ") \(number) \(person.isTalking ? "*" : " ")"
        let level = person.isTalking ? "  \(Self.meter(person.level))" : ""
        let volume =
            switch person.volume {
            case nil: "  silenced"
            case 0?: ""
            case let volume?: "  \(volume > 0 ? "+" : "")\(Int(saturating: volume)) dB"
            }
        let figures = "\(person.quality), \(person.delay) ms, \(person.lost) % lost"
        let text = "\(mark) \(person.name) (\(person.channel))  \(figures)\(volume)\(level)"
        let row = plain(text)
        return person.isTalking ? style.bold(row) : row
    }

    private var status: String {
        let space = tellsReleases ? "hold SPACE to talk" : "SPACE talks and ends it"
        return StatusRow(left: content.place, right: "\(space) · m mutes · ? keys · q ends").text(
            columns: size.usableColumns, style: style, size.widths)
    }

    private func plain(_ text: String) -> String {
        size.widths.cautious.truncated(
            ComposedText.line(SafeText.line(text)), columns: size.usableColumns)
    }

    /// `-23 dB ######....`, from -60 dB on.
    static func meter(_ decibels: Double) -> String {
        let level = decibels.isFinite ? max(-99, min(0, decibels)) : -99
        let length = max(0, min(10, Int(saturating: (level + 60) / 6)))
        return "\(Int(saturating: level)) dB " + String(repeating: "#", count: length)
            + String(repeating: ".", count: 10 - length)
    }
}
