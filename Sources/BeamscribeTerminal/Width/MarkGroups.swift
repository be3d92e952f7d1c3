internal import BeamscribeCore

/// The scripts of signs that stand beside a letter (category Mc), so far as terminals are asked
/// about them one by one.
struct SpacingMarks: OptionSet, Sendable {
    let rawValue: UInt32

    static let all = SpacingMarks(rawValue: 1 << UInt32(clamping: scripts.count + 1) &- 1)
    /// The scripts that no terminal is asked about.
    static let others = SpacingMarks(rawValue: 1 << UInt32(clamping: scripts.count))

    /// A script with the range of its block and two letters that carry such signs.
    struct Script: Sendable {
        let range: ClosedRange<UInt32>
        let sample: String
    }

    static let scripts = [
        Script(range: 0x900...0x97F, sample: "काकि"), Script(range: 0x980...0x9FF, sample: "কাকি"),
        Script(range: 0xA00...0xA7F, sample: "ਕਾਕਿ"), Script(range: 0xA80...0xAFF, sample: "કાકિ"),
        Script(range: 0xB00...0xB7F, sample: "କାକେ"), Script(range: 0xB80...0xBFF, sample: "காகை"),
        Script(range: 0xC00...0xC7F, sample: "కుకూ"), Script(range: 0xC80...0xCFF, sample: "ಕಾಕು"),
        Script(range: 0xD00...0xD7F, sample: "കാകി"), Script(range: 0xD80...0xDFF, sample: "කාකැ"),
        Script(range: 0xF00...0xFFF, sample: "ཀཿཁཿ"), Script(range: 0x1000...0x109F, sample: "ကာကး"),
        Script(range: 0x1780...0x17FF, sample: "កាកេ"), Script(range: 0x1B00...0x1B7F, sample: "ᬓᬵᬓᬵ"),
        Script(range: 0xA980...0xA9DF, sample: "ꦏꦴꦏꦵ"),
    ]

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The script with this index in ``scripts``.
    init(index: Int) { rawValue = 1 << UInt32(clamping: index) }

    /// The script that a mark belongs to.
    init(_ mark: Unicode.Scalar) {
        let index = Self.scripts.firstIndex { $0.range.contains(mark.value) }
        self = index.map(SpacingMarks.init(index:)) ?? .others
    }
}

/// Marks above, below and around letters (categories Mn, Me) by the version of Unicode that added
/// them: a terminal with older tables gives a mark a column that it does not know.
struct MarkAges: OptionSet, Sendable {
    let rawValue: UInt16

    /// Versions that one terminal knows or does not know together, with the least of each.
    private static let versions: [(major: Int, minor: Int)] = [
        (5, 1), (5, 2), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0),
    ]
    /// A letter with a mark of each of these.
    static let samples = [
        "က\u{103A}", "ꦏ\u{A9B6}", "ᮊ\u{1BAB}", "a\u{1AB0}", "a\u{A69E}", "𞤀\u{1E944}", "ક\u{AFA}",
        "ক\u{9FE}", "ກ\u{EBA}", "ଓ\u{B55}", "క\u{C3C}",
    ]
    static let all = MarkAges(rawValue: 1 << UInt16(clamping: versions.count) &- 1)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The marks of the versions with this index.
    init(index: Int) { rawValue = 1 << UInt16(clamping: index) }

    /// The versions that a mark belongs to; none for a mark that every terminal knows.
    init(_ mark: Unicode.Scalar) {
        // A mark of no known version is younger than all of them.
        let age = mark.properties.age ?? (Int.max, 0)
        let index = Self.versions.lastIndex { ($0.major, $0.minor) <= (age.major, age.minor) }
        self = index.map(MarkAges.init(index:)) ?? Self.known
    }

    private static let known = MarkAges(rawValue: 1 << 15)
}

/// Signs that nobody sees (category Cf), in groups that terminals treat alike.
struct FormatSigns: OptionSet, Sendable {
    let rawValue: UInt8

    /// U+200B to U+200F: blanks of no width, joiners, marks of direction.
    static let joiners = FormatSigns(rawValue: 1)
    /// U+202A to U+2064: directions, invisible operators.
    static let operators = FormatSigns(rawValue: 2)
    /// U+2066 to U+206F: isolated directions.
    static let isolates = FormatSigns(rawValue: 4)
    /// Parts of flags of regions.
    static let tags = FormatSigns(rawValue: 8)
    static let others = FormatSigns(rawValue: 16)
    static let all: FormatSigns = [.joiners, .operators, .isolates, .tags, .others]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The group of a sign.
    init(_ sign: Unicode.Scalar) {
        switch sign.value {
        case 0x200B...0x200F: self = .joiners
        case 0x202A...0x2064: self = .operators
        case 0x2066...0x206F: self = .isolates
        case 0xE0000...0xE007F: self = .tags
        default: self = .others
        }
    }
}

/// Parts of emoji that take columns beside the first scalar.
struct EmojiParts: OptionSet, Sendable {
    let rawValue: UInt8

    /// A skin tone takes two columns of its own.
    static let skinTone = EmojiParts(rawValue: 1)
    /// A sign that is to be drawn as a picture (U+FE0F) takes a second column.
    static let wideSign = EmojiParts(rawValue: 2)
    /// Each half of a flag takes two columns.
    static let wideFlag = EmojiParts(rawValue: 4)
    static let all: EmojiParts = [.skinTone, .wideSign, .wideFlag]
}

/// The later parts of a Hangul syllable.
struct HangulParts: OptionSet, Sendable {
    let rawValue: UInt8

    /// U+1160 to U+11FF.
    static let usual = HangulParts(rawValue: 1)
    /// U+D7B0 to U+D7FF, of old Korean.
    static let old = HangulParts(rawValue: 2)
    static let all: HangulParts = [.usual, .old]
}
