import BeamscribeCore

/// The captions that are typed: their ids, and those that wait while the event is paused.
///
/// Invariant: at most ``Limits/typedLines`` wait, and only while the event is paused.
struct TypedCaptions {
    private var number = 0
    private let language: String?
    private(set) var waiting: [Caption] = []

    /// - Parameters:
    ///   - seq: the newest line of the session.
    ///   - language: in which they are typed; nil where that is not said.
    init(after seq: Int = 0, in language: String? = nil) {
        number = seq + 1
        self.language = language
    }

    /// A caption of the line that is being typed.
    func caption(_ text: String, _ speaker: String?) -> Caption {
        Caption(
            text: SafeText.label(text, bytes: Limits.lineBytes), line: "typed-\(number)",
            speaker: speaker.map { SafeText.label($0, bytes: Limits.labelBytes) },
            lang: language)
    }

    /// The line that was typed is done.
    mutating func begin() {
        number += 1
    }

    /// Lets a caption wait; false where too many do.
    mutating func hold(_ caption: Caption) -> Bool {
        guard waiting.count < Limits.typedLines else { return false }
        waiting.append(caption)
        return true
    }

    /// What has waited.
    mutating func release() -> [Caption] {
        defer { waiting = [] }
        return waiting
    }
}
