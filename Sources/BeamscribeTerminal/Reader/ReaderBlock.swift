import BeamscribeCore

/// One caption or notice of a ``ReaderDocument``, with its text and without its rows.
struct ReaderBlock: Equatable, Sendable {
    /// What is to be known of a block beside its words.
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt16
        /// The program says it, and nobody at the host.
        static let isNotice = Marks(rawValue: 1)
        /// It can still change.
        static let isOpen = Marks(rawValue: 2)
        /// There is nothing to be shown: it was withdrawn while it was open.
        static let isGone = Marks(rawValue: 4)
        /// The words are those of a correction.
        static let isCorrected = Marks(rawValue: 8)
        /// The host has lost the line since.
        static let isWithdrawn = Marks(rawValue: 16)
        /// The host has taken the line back: a correction without a word.
        static let isUnsaid = Marks(rawValue: 64)
        /// The speaker became known when the words stood there already, and is named behind them:
        /// before them the name would move them.
        static let namesSpeakerLast = Marks(rawValue: 32)
        /// It stands under the line that it translates.
        static let isTranslation = Marks(rawValue: 128)
        /// It is in none of the languages that the reader wants.
        static let isForeign = Marks(rawValue: 256)
        /// It says that it is in a language that the reader wants.
        static let isInLanguage = Marks(rawValue: 512)
        /// An interpreter has said it in the reader's language, in lines of his own.
        static let isInterpreted = Marks(rawValue: 1_024)
    }

    /// Where a block stands among the others: by the order of the event's lines, and of two logs that had
    /// the same by these.
    struct Place: Equatable, Sendable {
        var order: Int
        /// The log's number in the document; 0 is the main one.
        var log: Int
    }

    /// What a block is known by for as long as it is there, wherever others come.
    struct Name: Equatable, Sendable {
        let id: Int
        let place: Place
    }

    private struct Versions: Equatable {
        let said: String
        let translation: String
    }

    /// The words that are shown: what was said, or its translation.
    private(set) var text: String
    /// Both of a line into whose place a translation has come.
    private var versions: Versions?
    /// The speaker's number in the document; nil for none.
    var speaker: Int?
    /// When the line began, or was sent where nobody saw it begin: seconds since 1970.
    var time: Double
    var marks: Marks
    /// The block's number, in the order in which they came.
    var id = 0
    var place = Place(order: 0, log: 0)
    /// The number of the log that it is of; 0 is the main one, and `noLog` none.
    var log = 0

    static let noLog = -1

    init(text: String, time: Double, marks: Marks, log: Int = 0) {
        (self.text, self.time, self.marks, self.log) = (text, time, marks, log)
    }

    /// Its words are these from now on; they are not translated yet.
    mutating func say(_ text: String) { (self.text, versions) = (text, nil) }

    /// A translation has come into its place.
    mutating func translate(as translation: String, isShown: Bool) {
        versions = Versions(said: versions?.said ?? text, translation: translation)
        showTranslation(isShown)
    }

    /// Shows it as it was translated, where it was, or as it was said.
    mutating func showTranslation(_ isShown: Bool) {
        guard let versions else { return }
        text = isShown ? versions.translation : versions.said
    }

    /// Whether a translation has come into its place.
    var isTranslated: Bool { versions != nil }
    var name: Name { Name(id: id, place: place) }
    var isNotice: Bool { marks.contains(.isNotice) }
    var isOpen: Bool { marks.contains(.isOpen) }
    var isGone: Bool { marks.contains(.isGone) }
    var isForeign: Bool { marks.contains(.isForeign) }
}
