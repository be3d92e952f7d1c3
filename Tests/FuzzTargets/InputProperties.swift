import BeamscribeCore
import BeamscribeInput

/// What a parser of the input says is harmless, adds up, and does not depend on how the kernel cut
/// the input into reads.
enum InputProperties {
    /// Tries one of `formats`; where there are several, the first byte says which.
    static func check(
        _ bytes: UnsafeRawBufferPointer, as formats: InputFormat...
    ) throws(BrokenProperty) {
        var choices = Choices(bytes)
        let format = formats.count == 1 ? formats[0] : choices.pick(formats)
        let seed = choices.byte()
        let input = choices.remainder()
        let whole = try read([input], as: format)
        let split = try read(Splits.random(input, seed: seed), as: format)
        try expect(split == whole, "\(split) where the input in one piece gives \(whole)")
        if input.count <= 256 {
            let bytewise = try read(Splits.bytewise(input), as: format)
            try expect(bytewise == whole, "\(bytewise) where one piece gives \(whole)")
        }
        if format == .auto { try checkDecision(input, whole) }
    }

    /// The form that was found is read as if it had been asked for.
    private static func checkDecision(
        _ input: [UInt8], _ whole: [InputEvent]
    ) throws(BrokenProperty) {
        var reader = InputFormat.auto.makeReader()
        _ = input.withUnsafeBytes { reader.feed($0) }
        _ = reader.finish()
        // What has said nothing has no form.
        if input.isEmpty { return }
        guard let format = reader.format, format != .auto else {
            throw BrokenProperty("no form was decided on")
        }
        let asked = try read([input], as: format)
        try expect(asked == whole, "\(whole) where the form \(format) gives \(asked)")
    }

    /// All events but the partials, which show how far the input has come.
    private static func read(
        _ parts: [[UInt8]], as format: InputFormat
    ) throws(BrokenProperty) -> [InputEvent] {
        var parser = format.makeReader()
        var open: [String?: Caption] = [:]
        var lasting: [InputEvent] = []
        for part in parts {
            let batch = part.withUnsafeBytes { parser.feed($0) }
            try follow(batch, in: &open)
            lasting += batch.filter { !isPartial($0) }
        }
        let batch = parser.finish()
        try follow(batch, in: &open)
        if format != .jsonl, format != .auto {
            try expect(open.isEmpty, "a partial without a final: \(open)")
        }
        return lasting + batch.filter { !isPartial($0) }
    }

    /// Keeps the open partials as a reader would.
    private static func follow(
        _ batch: [InputEvent], in open: inout [String?: Caption]
    ) throws(BrokenProperty) {
        var partials: Set<String?> = []
        for event in batch {
            switch event {
            case .final(let caption):
                try checkHarmless(caption)
                try expect(!caption.text.isEmpty, "an empty final")
                try expect(partials.isEmpty, "a final behind its batch's partials")
                open[caption.line] = nil
            case .correction(let caption):
                try checkHarmless(caption)
                try expect(!caption.text.isEmpty, "an empty correction")
                try expect(caption.line != nil, "a correction of no line")
                try expect(partials.isEmpty, "a correction behind its batch's partials")
                open[caption.line] = nil
            case .partial(let caption):
                try checkHarmless(caption)
                try expect(partials.insert(caption.line).inserted, "two partials of a line")
                let old = open[caption.line]
                try expect(
                    caption.text.isEmpty ? old != nil : old != caption,
                    "a partial that says nothing new: \(caption)")
                open[caption.line] = caption.text.isEmpty ? nil : caption
            case .warning(let sentence):
                try expect(SafeText.isSafe(sentence), "a warning that is not safe: \(sentence)")
            }
        }
    }

    private static func checkHarmless(_ caption: Caption) throws(BrokenProperty) {
        let labels = [caption.line, caption.speaker, caption.lang].compactMap { $0 }
        try expect(caption.text.utf8.count <= Limits.lineBytes, "a text over the limit")
        for text in labels + [caption.text] {
            try expect(SafeTextProperties.isHarmless(text), "text that is not safe: \(text)")
        }
        for label in labels {
            try expect((1...Limits.labelBytes).contains(label.utf8.count), "a label's length")
        }
        for number in [caption.start, caption.end].compactMap({ $0 }) {
            try expect(number.isFinite, "a time that JSON cannot say")
        }
        try expect(caption.replaces ?? 1 >= 1, "a correction of no line")
    }

    private static func isPartial(_ event: InputEvent) -> Bool {
        if case .partial = event { true } else { false }
    }
}
