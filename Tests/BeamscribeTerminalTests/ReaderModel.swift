import BeamscribeCore

/// What a document must hold, found by looking through all of it each time.
struct ReaderModel {
    struct Block {
        var text: String
        var speaker: String?
        var isNotice = false
        /// The open line, while it is one.
        var open: String?
        /// The numbers of the line and of its corrections.
        var seqs: [Int] = []
        var isGone = false
        /// A correction has left no word of it.
        var isUnsaid = false
    }

    private(set) var blocks: [Block] = []
    /// Lines that stand for one that never came.
    private var substitutes: [Int: Int] = [:]

    var transcript: String {
        blocks.filter { !$0.isNotice && !$0.isGone && !$0.isUnsaid && $0.open == nil }
            .map { ($0.speaker.map { "\($0): " } ?? "") + $0.text + "\n" }.joined()
    }

    mutating func add(notice: String) {
        blocks.append(Block(text: notice, isNotice: true))
    }

    mutating func add(_ line: TranscriptLine) {
        let opened = blocks.firstIndex { $0.open == line.line }
        if let target = corrected(by: line), let place = index(of: target) {
            blocks[place].text = line.text
            blocks[place].isUnsaid = line.text.isEmpty
            blocks[place].speaker = line.speaker ?? blocks[place].speaker
            blocks[place].seqs.append(line.seq)
            if let opened { remove(opened) }
            return
        }
        let place = opened ?? blocks.count
        if opened == nil { blocks.append(Block(text: "")) }
        blocks[place].text = line.text
        blocks[place].speaker = line.speaker ?? blocks[place].speaker
        blocks[place].open = nil
        blocks[place].seqs = [line.seq]
    }

    mutating func set(_ partial: PartialLine) {
        let place = blocks.firstIndex { $0.open == partial.line }
        switch (place, partial.text.isEmpty) {
        case (let place?, true): remove(place)
        case (let place?, false): blocks[place].text = partial.text
        case (nil, true): break
        case (nil, false):
            if blocks.count(where: { $0.open != nil }) == Limits.openLines {
                remove(oldestOpen)
            }
            blocks.append(Block(text: partial.text, open: partial.line))
        }
    }

    mutating func withdraw(from first: Int) {
        for index in blocks.indices { blocks[index].seqs.removeAll { $0 >= first } }
        substitutes = substitutes.filter { $0.key < first && $0.value < first }
    }

    private var oldestOpen: Int { blocks.firstIndex { $0.open != nil }! }

    private mutating func remove(_ index: Int) {
        blocks[index] = Block(text: "", isGone: true)
        while blocks.last?.isGone == true { blocks.removeLast() }
    }

    private func index(of seq: Int) -> Int? { blocks.firstIndex { $0.seqs.contains(seq) } }

    private mutating func corrected(by line: TranscriptLine) -> Int? {
        guard let target = line.replaces, target < line.seq, target >= 1 else { return nil }
        if index(of: target) != nil { return target }
        if let substitute = substitutes[target] { return substitute }
        substitutes[target] = line.seq
        return nil
    }
}
