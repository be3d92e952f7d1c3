/// A text whose columns say how a terminal counts.
struct WidthSample: Sendable {
    /// The text; it takes at least one column in every terminal.
    let text: String
    /// The fewest columns and the most that any terminal takes for it.
    let range: ClosedRange<Int>
    /// Takes in how many columns a terminal takes.
    let learn: @Sendable (Int, inout CharacterWidths) -> Void

    /// All samples that fit into a row of `columns`.
    static func all(columns: Int) -> [WidthSample] {
        (spacingMarks + newMarks + formats + ambiguous + emoji + others).filter {
            $0.range.upperBound < columns
        }
    }

    /// A sample that takes `least` columns if `path` contains none of `group`.
    private static func sample<Group: OptionSet & Sendable>(
        _ text: String, _ least: Int, most: Int,
        of path: any WritableKeyPath<CharacterWidths, Group> & Sendable, _ group: Group
    ) -> WidthSample where Group.Element == Group {
        WidthSample(text: text, range: 1...most) { columns, widths in
            if columns <= least { widths[keyPath: path].remove(group) }
        }
    }

    private static var spacingMarks: [WidthSample] {
        SpacingMarks.scripts.enumerated().map { index, script in
            sample(script.sample, 2, most: 4, of: \.spacingMarks, SpacingMarks(index: index))
        } + [sample("𑂍𑂰𑂍𑂱", 2, most: 4, of: \.spacingMarks, .others)]
    }

    private static var newMarks: [WidthSample] {
        MarkAges.samples.enumerated().map { index, text in
            sample(text, 1, most: 2, of: \.newMarks, MarkAges(index: index))
        }
    }

    private static let formats = [
        sample("a\u{200D}\u{200E}", 1, most: 3, of: \.formats, .joiners),
        sample("a\u{2060}\u{2061}", 1, most: 3, of: \.formats, .operators),
        sample("a\u{2066}\u{2069}", 1, most: 3, of: \.formats, .isolates),
        sample("🏴\u{E0067}\u{E007F}", 2, most: 4, of: \.formats, .tags),
        sample("a\u{FEFF}", 1, most: 2, of: \.formats, .others),
    ]

    private static let ambiguous = [
        sample("éαя", 3, most: 6, of: \.ambiguous, .letters),
        sample("“—”…", 4, most: 8, of: \.ambiguous, .punctuation),
        sample("①─", 2, most: 4, of: \.ambiguous, .symbols),
    ]

    private static let emoji = [
        sample("👍🏽", 2, most: 4, of: \.emoji, .skinTone),
        sample("✔\u{FE0F}", 1, most: 2, of: \.emoji, .wideSign),
        sample("🇩🇪", 2, most: 4, of: \.emoji, .wideFlag),
        sample("ᄒ\u{1161}\u{11AB}", 2, most: 4, of: \.hangulParts, .usual),
        sample("ꥠ\u{D7B0}\u{D7CB}", 2, most: 4, of: \.hangulParts, .old),
    ]

    private static let others = [
        // A conjunct with a joiner, of which most terminals show two letters.
        WidthSample(text: "क्\u{200D}ष", range: 1...4) { columns, widths in
            widths.joins = columns == 1
        },
        WidthSample(text: "لا", range: 1...2) { columns, widths in
            widths.ligatesLamAlef = columns == 1
        },
        // A letter with four marks, three of them beside it.
        WidthSample(text: "က\u{103B}\u{103C}\u{102C}\u{1038}", range: 1...5) { columns, widths in
            widths.cellLimit = columns == 2 ? 2 : nil
        },
    ]
}
