import BeamscribeCore

/// Deepgram's live messages. Pieces of an utterance are frozen one by one (`is_final`); it is whole
/// with `speech_final`, or with a message that says so (`UtteranceEnd`).
struct DeepgramGrammar: ObjectGrammar {
    /// The utterance of each channel of the sound.
    private var utterances: [Int: Utterance] = [:]

    private struct Utterance {
        var pieces: [String] = []
        var speaker: String?
        var start: Double?
        var end: Double?
    }

    mutating func take(_ message: DeepgramMessage, into output: inout CaptionOutput) {
        let channel = min(max(message.channelNumber ?? 0, 0), Limits.openLines - 1)
        switch message.type {
        case "UtteranceEnd": end(channel, into: &output)
        case "Results", nil: takeResults(message, channel, into: &output)
        default: break
        }
    }

    private mutating func takeResults(
        _ message: DeepgramMessage, _ channel: Int, into output: inout CaptionOutput
    ) {
        guard let best = message.best else { return }
        var utterance = utterances[channel] ?? Utterance(start: message.start)
        let words = best.transcript ?? ""
        let isWorded = !words.isEmpty
        if utterance.pieces.isEmpty, isWorded { utterance.start = message.start }
        utterance.speaker =
            utterance.speaker ?? best.words?.first?.speaker.map { SpeakerLabel.numbered($0) }
        if isWorded { utterance.end = message.end ?? utterance.end }
        var shown = utterance
        if isWorded { shown.pieces.append(words) }
        if message.isFinal { utterance = shown }
        utterances[channel] = utterance
        let length = utterance.pieces.reduce(0) { $0 + $1.utf8.count + 1 }
        if message.isSpeechFinal || length > Limits.lineBytes {
            end(channel, into: &output)
        } else {
            output.partial(caption(of: shown, channel))
        }
    }

    private mutating func end(_ channel: Int, into output: inout CaptionOutput) {
        guard let utterance = utterances.removeValue(forKey: channel) else { return }
        output.final(caption(of: utterance, channel))
    }

    private func caption(of utterance: Utterance, _ channel: Int) -> Caption {
        // One channel is one line after the other; of several each has its own.
        Caption(
            text: utterance.pieces.joined(separator: " "),
            line: channel == 0 ? nil : "channel-\(channel)", speaker: utterance.speaker,
            start: utterance.start, end: utterance.end)
    }
}
