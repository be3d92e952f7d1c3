import BeamscribeCore
import BeamscribeTerminal

/// Whether the event is to end: one word, typed, and nothing that a hand can brush. It asks for a
/// while only.
struct EndQuestion: Equatable {
    enum Outcome: Equatable {
        case asksOn
        case ends
        /// It was no answer: these letters were meant for something else.
        case isLeft(String)
    }

    private static let word = "end"

    /// What of the word is typed.
    private(set) var answer = ""
    private let deadline: Duration

    init(asked now: Duration) {
        deadline = now + Limits.endQuestion
    }

    func isOver(at now: Duration) -> Bool { now >= deadline }

    mutating func take(_ key: Key) -> Outcome {
        switch key {
        case .character(let character) where Self.word.hasPrefix(answer + character.lowercased()):
            answer += character.lowercased()
            return .asksOn
        case .character(let character): return .isLeft(answer + String(character))
        case .enter where answer == Self.word: return .ends
        case .backspace where !answer.isEmpty:
            answer.removeLast()
            return .asksOn
        default: return .isLeft(answer)
        }
    }

    /// The question, with what becomes of what is not out yet.
    static func words(
        waiting: Int, isTyping: Bool, isOffRecord: Bool, pasted: Int, corrects: Bool
    ) -> String {
        var fates: [String] = []
        if isOffRecord, isTyping { fates.append("what is typed goes nowhere") }
        if !isOffRecord, waiting > 0 || isTyping {
            let count = waiting + (isTyping ? 1 : 0)
            fates.append("\(plural(count, "typed line")) \(count == 1 ? "goes" : "go") out first")
        }
        if pasted > 0 { fates.append("\(pasted) pasted not sent") }
        if corrects { fates.append("the correction is not sent") }
        let rest = fates.isEmpty ? "" : " " + fates.joined(separator: ", ") + "."
        return "End the event for everybody?" + rest
    }
}
