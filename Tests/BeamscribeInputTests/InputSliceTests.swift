import BeamscribeCore
import BeamscribeInput
import Testing

/// What of the input a turn of the loop takes.
@Suite struct InputSliceTests {
    /// Gives out all of `text` while each piece takes `cost`, and a new slice is begun when one has
    /// ended. Tells the pieces of each slice.
    private func slices(of text: String, each cost: Duration) -> [[String]] {
        var slices: [[String]] = []
        Array(text.utf8).withUnsafeBytes { bytes in
            var (rest, now) = (bytes, Duration.seconds(7))
            while !rest.isEmpty {
                var slice = InputSlice(of: rest, at: now)
                var pieces: [String] = []
                repeat {
                    pieces.append(String(decoding: slice.next(), as: UTF8.self))
                    now += cost
                } while slice.goesOn(at: now)
                slices.append(pieces)
                rest = UnsafeRawBufferPointer(rebasing: rest[slice.taken...])
            }
        }
        return slices
    }

    @Test func slice_takesEverything_whenThatIsQuick() {
        let text = numbered(1...2_000)
        let slices = slices(of: text, each: .zero)
        #expect(slices.count == 1)
        #expect(slices.joined().joined() == text)
    }

    @Test func slice_ends_whenItsTimeIsOver() {
        let text = numbered(1...2_000)
        let slices = slices(of: text, each: Limits.inputTurn / 4)
        #expect(slices.dropLast().allSatisfy { $0.count == 4 })
        #expect(slices.count > 2)
        #expect(slices.joined().joined() == text)
    }

    @Test func slice_isOnePiece_whenThatTakesAllItsTime() {
        let text = numbered(1...2_000)
        let slices = slices(of: text, each: .seconds(1))
        #expect(slices.allSatisfy { $0.count == 1 })
        #expect(slices.joined().joined() == text)
    }

    @Test func piece_endsWithALine_whereItHasOne() {
        let pieces = slices(of: numbered(1...2_000), each: .zero).joined()
        #expect(pieces.count > 5)
        #expect(pieces.allSatisfy { $0.utf8.count <= Limits.inputPiece && $0.hasSuffix("\n") })
    }

    @Test func piece_isFull_whenALineIsLonger() {
        let text = String(repeating: "x", count: 3 * Limits.inputPiece + 1)
        let pieces = slices(of: text, each: .zero).joined()
        #expect(pieces.map(\.utf8.count) == [2_048, 2_048, 2_048, 1])
    }

    private func numbered(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "line \($0)\n" }.joined()
    }
}
