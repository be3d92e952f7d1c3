import BeamscribeCore

/// What the beginning of an input says of one form.
enum Evidence {
    /// It is not of this form.
    case none
    /// It may become clear that it is.
    case possible
    /// It is, unless more comes that says otherwise.
    case likely
    /// It is.
    case certain
}

/// Tells the forms of input apart by how they begin.
///
/// The rules are in an order in which no form is taken for another; the first that is certain
/// decides, once none before it is possible any more. Where no rule holds it is plain text.
enum FormatDetector {
    /// So many bytes have to be enough, unless they are one JSON object.
    static let enough = 4_096

    private typealias Rule = @Sendable (InputStart) -> Evidence

    private static let rules: [(InputFormat, Rule)] = [
        (.vtt, FileRules.webVTT), (.whisperStream, RecogniserRules.whisperStream),
        (.whisper, RecogniserRules.whisper), (.vosk, RecogniserRules.voskBanner),
        (.aprilASR, RecogniserRules.april), (.sbv, FileRules.subViewer), (.srt, FileRules.subRip),
        (.plover, RecogniserRules.plover), (.pocketsphinx, RecogniserRules.pocketSphinx),
        (.whisperStreaming, RecogniserRules.whisperStreaming),
        (.sherpaOnnx, RecogniserRules.sherpa), (.nerdDictation, RecogniserRules.typed),
    ]

    /// The form of an input that begins with `bytes`; nil where more is needed to say.
    ///
    /// - Parameter isQuiet: nothing more comes for now.
    static func verdict(of bytes: [UInt8], isQuiet: Bool) -> InputFormat? {
        if let object = ObjectRules.verdict(of: bytes, isQuiet: isQuiet) { return object.format }
        let isFull = bytes.count >= enough
        let start = InputStart(bytes.prefix(enough))
        let isBlank = start.all.isEmpty && !RecogniserRules.hasBareReturn(start)
        guard !isBlank || isFull else { return nil }
        let finds = rules.map { ($0.0, $0.1(start)) }
        if isQuiet || isFull {
            return finds.first { $0.1 == .certain || $0.1 == .likely }?.0 ?? .text
        }
        let first = finds.first { $0.1 != .none }
        return first.map { $0.1 == .certain ? $0.0 : nil } ?? .text
    }
}
