/// How a reader wants the captions shown.
///
/// As JSON: `{"colours":true,"languages":["en"],"partials":true,"timestamps":"off","width":40}`.
/// What is missing is as in ``init()``; other keys are no business of this type.
public struct ReaderSettings: Codable, Equatable, Sendable {
    /// What stands before a line.
    public enum Timestamps: String, CaseIterable, Codable, Sendable {
        case off
        /// The time of day.
        case clock
        /// The time since the first line.
        case elapsed
    }

    /// The widths that can be asked for, in columns. 32 is what captions on television have.
    public static let widths = 32...500

    /// The columns that a line may fill, speaker included; nil for all that the terminal has.
    public var width: Int?
    /// What stands before a line.
    public var timestamps = Timestamps.off
    /// Whether lines are shown before they are finished.
    public var showsPartials = true
    /// Whether colours, bold and dim may be used.
    public var usesColours = true
    /// The languages to show, as BCP 47 tags; none for all.
    public var languages: [String] = []

    /// What nobody has changed yet.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case width, timestamps, languages
        case showsPartials = "partials"
        case usesColours = "colours"
    }

    /// - Throws: `DecodingError` where a value is none of its key's.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decodeIfPresent(Int.self, forKey: .width)
        if let width, !Self.widths.contains(width) {
            throw DecodingError.dataCorruptedError(
                forKey: .width, in: values, debugDescription: "not in \(Self.widths)")
        }
        timestamps = try values.decodeIfPresent(Timestamps.self, forKey: .timestamps) ?? .off
        showsPartials = try values.decodeIfPresent(Bool.self, forKey: .showsPartials) ?? true
        usesColours = try values.decodeIfPresent(Bool.self, forKey: .usesColours) ?? true
        languages = try values.decodeIfPresent([String].self, forKey: .languages) ?? []
    }

    /// These settings with what differs between `old` and `new` as in `new`.
    public func changed(from old: ReaderSettings, to new: ReaderSettings) -> ReaderSettings {
        var settings = self
        if old.width != new.width { settings.width = new.width }
        if old.timestamps != new.timestamps { settings.timestamps = new.timestamps }
        if old.showsPartials != new.showsPartials { settings.showsPartials = new.showsPartials }
        if old.usesColours != new.usesColours { settings.usesColours = new.usesColours }
        if old.languages != new.languages { settings.languages = new.languages }
        return settings
    }
}
