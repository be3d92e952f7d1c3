import BeamscribeCore

/// What the operator says of the input, whatever its form.
public struct InputOptions: Equatable, Sendable {
    /// Pass on what a recogniser writes for silence and noise, `[BLANK_AUDIO]` or `(music)`.
    public var keepsNoise = false

    /// The names of speakers, by the ids and labels that the input has for them.
    public var speakerNames: [String: String] = [:]

    /// The language of captions for which the input names none, a BCP 47 tag.
    public var language: String?

    /// Nothing beyond what the input says.
    public init() {}
}

/// Reads an input of any form, and does behind its parser what the operator asked for: names for
/// speakers, a language, no noise.
///
/// Invariant: the partials that came out are as `partials` has them.
public struct InputReader: InputParser {
    private let options: InputOptions
    private var parser: any InputParser
    private var partials = PartialBatch()
    /// Bytes that are no UTF-8 were told of.
    private var isEncodingTold = false
    /// The form of the input, once that is known.
    public private(set) var format: InputFormat?

    public init(_ format: InputFormat, _ options: InputOptions = InputOptions()) {
        self.options = options
        parser = format.makeParser()
        self.format = format == .auto ? nil : format
    }

    public var awaitsQuiet: Bool { parser.awaitsQuiet }
    public var isAmidst: Bool { parser.isAmidst }

    public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        pass(parser.feed(bytes))
    }

    public mutating func settle() -> [InputEvent] {
        pass(parser.settle())
    }

    public mutating func finish() -> [InputEvent] {
        let events = pass(parser.finish())
        partials = PartialBatch()
        return events
    }

    private mutating func pass(_ events: [InputEvent]) -> [InputEvent] {
        if format == nil { format = (parser as? AutoParser)?.decided }
        // Most batches are of finals that nothing has to be done to, thousands of them at times.
        guard !partials.isEmpty || events.contains(where: needsWork) else { return events }
        var passed: [InputEvent] = []
        passed.reserveCapacity(events.count)
        for event in events {
            tellEncoding(of: event, into: &passed)
            pass(event, into: &passed)
        }
        for partial in partials.take() { passed.append(.partial(partial)) }
        return passed
    }

    private static let notUTF8 =
        "The input is not all UTF-8: what cannot be read is shown as \u{FFFD}. Of Latin-1 say, put "
        + "`iconv -f latin1 -t utf-8` before beamscribe."

    /// Says before the first line that has it that a parser had to put a sign in the place of bytes.
    /// Of partials nothing is said: where one ends its last letter may not be whole yet.
    private mutating func tellEncoding(of event: InputEvent, into passed: inout [InputEvent]) {
        switch event {
        case .final(let caption), .correction(let caption):
            guard !isEncodingTold, Self.isBroken(caption.text) else { return }
            isEncodingTold = true
            passed.append(.warning(Self.notUTF8))
        case .partial, .warning: return
        }
    }

    /// By bytes, for every line comes by.
    private static func isBroken(_ text: String) -> Bool {
        text.utf8.contains(0xEF) && text.unicodeScalars.contains("\u{FFFD}")
    }

    private func needsWork(_ event: InputEvent) -> Bool {
        switch event {
        case .final(let caption), .correction(let caption):
            !options.speakerNames.isEmpty || options.language != nil || mayBeNoise(caption.text)
                || mayBeMarked(caption.text) || !isEncodingTold && Self.isBroken(caption.text)
        case .partial: true
        case .warning: false
        }
    }

    private mutating func pass(_ event: InputEvent, into passed: inout [InputEvent]) {
        switch event {
        case .final(let caption):
            guard let final = finished(caption) else { return withdraw(caption) }
            partials.close(line: final.line)
            passed.append(.final(final))
        case .correction(let caption):
            guard let correction = finished(caption) else { return withdraw(caption) }
            partials.close(line: correction.line)
            passed.append(.correction(correction))
        case .partial(let caption):
            if let partial = finished(caption) { partials.add(partial) } else { withdraw(caption) }
        case .warning: passed.append(event)
        }
    }

    private mutating func withdraw(_ caption: Caption) {
        partials.add(Caption(text: "", line: caption.line))
    }

    /// The caption as it goes out; nil where it is nothing but noise.
    private func finished(_ caption: Caption) -> Caption? {
        if mayBeNoise(caption.text), isNoise(caption.text) { return nil }
        var caption = caption
        if caption.speaker == nil, mayBeMarked(caption.text),
            let mark = SpeakerMark(in: caption.text, knowing: options.speakerNames)
        {
            caption.speaker = mark.speaker
            caption.text = mark.text
        }
        if let speaker = caption.speaker { caption.speaker = name(of: speaker) }
        if caption.lang == nil { caption.lang = options.language }
        return caption
    }

    private func mayBeMarked(_ text: String) -> Bool {
        (format?.hasSpeakerMarks ?? false)
            && SpeakerMark.mayBegin(text, knowsNames: !options.speakerNames.isEmpty)
    }

    private func name(of speaker: String) -> String {
        let names = options.speakerNames
        guard !names.isEmpty else { return speaker }
        return names[speaker] ?? SpeakerLabel.id(in: speaker).flatMap { names[$0] } ?? speaker
    }

    private func mayBeNoise(_ text: String) -> Bool {
        !options.keepsNoise && NoiseTag.mayBegin(text)
    }

    private func isNoise(_ text: String) -> Bool {
        format?.isWrittenByPeople ?? true ? NoiseTag.isMachineMade(text) : NoiseTag.isAll(of: text)
    }
}
