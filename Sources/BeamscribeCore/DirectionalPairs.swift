/// Which of a text's directional formatting characters form pairs that may stay.
///
/// The pairs are those of UAX #9 (BD9, BD11, X6a, X7): a PDF ends the last embedding or override
/// within the same isolate, a PDI the last isolate. What a PDI ends along with its isolate has no
/// end of its own, and makes no pair: a reader that knows no isolates would never end it.
///
/// Invariant: `open` has the indices of characters that wait for their end, at most
/// ``DirectionalNesting/limit`` of them; `isPaired` has an element for each character seen.
struct DirectionalPairs {
    private struct Opening {
        let index: Int
        let kind: DirectionalFormatting
    }

    private var open: [Opening] = []
    private(set) var isPaired: [Bool] = []

    /// Goes through all of `text`.
    init(of text: String) {
        for scalar in text.unicodeScalars {
            if let character = DirectionalFormatting(scalar.value) { take(character) }
        }
    }

    private mutating func take(_ character: DirectionalFormatting) {
        isPaired.append(false)
        switch character {
        case .embedding, .override, .isolate:
            guard open.count < DirectionalNesting.limit else { return }
            open.append(Opening(index: isPaired.count - 1, kind: character))
        case .endOfEmbedding:
            guard let last = open.last, last.kind != .isolate else { return }
            close(at: open.count - 1)
        case .endOfIsolate:
            guard let last = open.lastIndex(where: { $0.kind == .isolate }) else { return }
            close(at: last)
        }
    }

    /// The newest character ends the opening at `place`, and with it those behind.
    private mutating func close(at place: Int) {
        let opening = open[place]
        open.removeSubrange(place...)
        // An override never stays, and its end goes with it.
        guard opening.kind != .override else { return }
        isPaired[opening.index] = true
        isPaired[isPaired.count - 1] = true
    }
}
