import ArgumentParser
import BeamscribeCore

/// The languages of `--lang`: `en,fr`, or the option twice.
struct LanguageList {
    /// BCP 47 tags; empty for all.
    let tags: [String]

    init(_ values: [String]) {
        tags = values.flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    func check() throws {
        for tag in tags where !CaptionFilter.isLanguage(tag) {
            throw ValidationError(
                "--lang takes tags of languages such as en or pt-BR, not '\(tag)'.")
        }
    }
}
