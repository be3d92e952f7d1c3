import BeamscribeCore

/// WhisperLiveKit's messages. Each holds the whole list of lines, or how it differs from the last
/// one; the last line grows, and what follows it may still change.
///
/// Invariant: `lines` are the last ones of the server's list, at most `memory` of them, with their
/// `states`; `forgotten` is how many of the server's stand before them.
struct WhisperLiveKitGrammar: ObjectGrammar {
    /// The server changes lines of the last minutes at most, for it knows no more of the sound.
    private static let memory = 64

    private var lines: [SpokenLine] = []
    private var states: [WhisperLiveKitMessage.Line] = []
    private var forgotten = 0
    private var lineCount = 0
    private var buffer = ""

    mutating func take(_ message: WhisperLiveKitMessage, into output: inout CaptionOutput) {
        if message.type == "ready_to_stop" { return output.closeAll() }
        if let buffer = message.buffer { self.buffer = buffer }
        if let list = message.lines {
            takeList(list, into: &output)
        } else if message.newLines != nil || message.pruned != nil || message.lineCount != nil {
            takeDifference(message, into: &output)
        } else if message.buffer == nil {
            return
        }
        showLast(into: &output)
    }

    private mutating func takeList(
        _ list: [WhisperLiveKitMessage.Line], into output: inout CaptionOutput
    ) {
        let list = list[min(firstKnown(in: list), list.count)...]
        // A server that forgets its oldest lines does not say so here, but their times do.
        if let first = list.first?.start?.seconds {
            while let start = lines.first?.start, start < first - 0.001 { forgetFirst() }
        }
        replace(from: 0, by: Array(list), into: &output)
    }

    /// The place in the server's whole list of the first line that is remembered.
    private mutating func firstKnown(in list: [WhisperLiveKitMessage.Line]) -> Int {
        guard forgotten > 0, let known = lines.first?.start else { return forgotten }
        forgotten = list.prefix { ($0.start?.seconds ?? 0) < known - 0.001 }.count
        return forgotten
    }

    private mutating func takeDifference(
        _ message: WhisperLiveKitMessage, into output: inout CaptionOutput
    ) {
        for _ in 0..<min(max(message.pruned ?? 0, 0), forgotten + lines.count) {
            if forgotten > 0 { forgotten -= 1 } else { forgetFirst() }
        }
        let new = message.newLines ?? []
        let count = message.lineCount ?? forgotten + lines.count
        let kept = count - new.count - forgotten
        replace(from: min(max(kept, 0), lines.count), by: new, into: &output)
    }

    private mutating func forgetFirst() {
        lines.removeFirst()
        states.removeFirst()
    }

    /// Puts `new` in the place of the lines from `index` on.
    private mutating func replace(
        from index: Int, by new: [WhisperLiveKitMessage.Line], into output: inout CaptionOutput
    ) {
        let old = states
        states.removeSubrange(min(index, states.count)...)
        states += new
        while lines.count < states.count {
            lineCount += 1
            lines.append(SpokenLine(number: lineCount))
        }
        for place in 0..<max(0, states.count - 1) {
            // The line that was the last has others behind it now, and is done.
            let isKnown = place < old.count - 1 && old[place] == states[place]
            if isKnown { continue }
            lines[place].update(states[place], buffer: "", isOpen: false, into: &output)
        }
        // Fewer lines than before: what was final stays, and is not looked at any more.
        lines.removeSubrange(states.count...)
        while lines.count > Self.memory {
            forgetFirst()
            forgotten += 1
        }
    }

    private mutating func showLast(into output: inout CaptionOutput) {
        guard let state = states.last else {
            if !buffer.isEmpty { output.partial(Caption(text: buffer)) }
            return
        }
        if state.isSilence {
            output.withdrawAll()
            if !buffer.isEmpty { output.partial(Caption(text: buffer)) }
        } else {
            output.withdraw(line: nil)
            lines[lines.count - 1].update(state, buffer: buffer, isOpen: true, into: &output)
        }
    }
}
