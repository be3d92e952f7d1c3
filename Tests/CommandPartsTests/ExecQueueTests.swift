import BeamscribeCore
import Testing

@testable import BeamscribeCommand

@Suite struct ExecQueueTests {
    private func entry(_ seq: Int, speaker: String? = nil) -> ExecRun {
        var line = TranscriptLine(
            seq: seq, line: "l", text: "t", sentTimestamp: 0, receivedTimestamp: 0, latency: 0)
        line.speaker = speaker
        return ExecRun(line, replacing: nil, in: "E", log: nil)
    }

    @Test func queue_keepsTheNewest_inOrder_andCountsTheRest() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            let limit = Int.random(in: 1...8, using: &generator)
            var queue = ExecQueue(limit: limit)
            var model: [Int] = []
            var dropped = 0
            for seq in 1...100 {
                if Bool.random(using: &generator) {
                    model.append(seq)
                    let isOver = model.count > limit
                    if isOver { model.removeFirst() }
                    let isFirst = queue.append(entry(seq))
                    #expect(isFirst == (isOver && dropped == 0))
                    dropped += isOver ? 1 : 0
                } else {
                    let first = model.isEmpty ? nil : model.removeFirst()
                    #expect(queue.popFirst()?.subject == first.map { "line \($0)" })
                }
                #expect(queue.count == model.count && queue.dropped == dropped)
            }
            #expect(queue.removeAll() == model.count)
            #expect(queue.popFirst() == nil)
        }
    }

    @Test func variables_areThoseOfTheLine() {
        let variables = entry(7, speaker: "Ann").variables
        #expect(variables["BEAMSCRIBE_SEQ"] == "7")
        #expect(variables["BEAMSCRIBE_SPEAKER"] == "Ann")
        #expect(variables["BEAMSCRIBE_EVENT"] == "E")
        let removed = ["BEAMSCRIBE_LANG", "BEAMSCRIBE_REPLACES", "BEAMSCRIBE_LOG"]
        for name in removed { #expect(variables[name] == .some(nil), "\(name)") }
    }
}
