import BeamscribeCore

/// Which of an event's other logs are read together with its main one.
public struct FeedSelection: Hashable, Sendable {
    /// All that are captions of their own, and no translations.
    private let hasCaptions: Bool
    /// Those with these ids or names.
    private let names: Set<String>
    private let isEverything: Bool

    /// Every log that there is.
    public static let everything = FeedSelection(hasCaptions: true, names: [], isEverything: true)

    private init(hasCaptions: Bool, names: Set<String>, isEverything: Bool) {
        (self.hasCaptions, self.names, self.isEverything) = (hasCaptions, names, isEverything)
    }

    /// What a browser asks for by these words: ``all``, ``floor``, logs' ids and their names.
    ///
    /// - Returns: nil where they ask for one log by itself.
    public init?(_ words: [String]) {
        guard words.count > 1 || words.first == Self.all else { return nil }
        let names = words.prefix(Limits.logs).filter { $0 != Self.all && $0 != Self.floor }
        self.init(
            hasCaptions: words.contains(Self.all), names: Set(names), isEverything: false)
    }

    /// How browsers name all that are captions of their own.
    public static let all = "all"
    /// How they name the main log.
    public static let floor = "floor"

    func includes(_ title: LogTitle) -> Bool {
        isEverything || hasCaptions && title.translates == nil || names.contains(title.session)
            || names.contains(title.label)
    }
}
