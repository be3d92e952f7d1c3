import BeamscribeCore

/// Tells whether rows of writing without blanks can break between words. Rows differ without ICU,
/// and no word is lost, so that nothing here is more than a note.
enum WordCheck {
    /// - Parameter version: the release of ICU; nil where there is none.
    static func result(_ version: Int? = WordBreaker.version) -> CheckResult {
        if let version {
            return .ok(
                .words,
                "ICU \(version) keeps words of Thai, Lao, Khmer, Burmese, Chinese and Japanese whole."
            )
        }
        return CheckResult(
            .words, .note,
            "ICU is missing: rows of Thai, Lao, Khmer, Burmese, Chinese and Japanese break within words.",
            "Install ICU: the package libicu72 on Debian 12, libicu74 on Ubuntu 24.04, icu elsewhere."
        )
    }
}
