public import FoundationEssentials

/// Compares a log with the notes of its hash chain, to find lines that a disk has damaged.
///
/// It proves nothing, for the notes are as much the disk's as the lines. A line is damaged if the
/// note of the line before it is right and its own note is not.
public struct JournalCheck {
    /// Lines that are not as they were when they were noted.
    public private(set) var damaged: [ClosedRange<Int>] = []
    /// The last line of the log; 0 for none.
    public var lastSeq: Int { reader.lastSeq }
    /// The last line that was noted; 0 for none.
    public var lastNoted: Int { notes.newest }

    private let notes: ChainCheckpoints
    /// The chain through the line before; nil where it is not known.
    private var chain: LineChain?
    private let start: LineChain
    private var reader: JournalReader

    /// - Parameters:
    ///   - log: the log's id.
    ///   - boundaries: which lines may stand where.
    public init(
        of log: UUID, noted notes: ChainCheckpoints, within boundaries: RunBoundaries,
        by hasher: any LogHasher
    ) {
        self.notes = notes
        start = LineChain(of: log, by: hasher)
        chain = start
        reader = JournalReader(within: boundaries)
    }

    /// Takes in the next bytes of the log.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) {
        // Taken out, since this changes while its lines are taken.
        var reader = reader
        self.reader = JournalReader()
        reader.read(bytes) { payload, _, seq in take(payload, seq) }
        self.reader = reader
    }

    private mutating func take(_ payload: UnsafeRawBufferPointer, _ seq: Int) {
        if chain?.seq != seq - 1 {
            chain = notes.hashes(through: seq - 1).first.map { start.from(seq - 1, $0) }
        }
        chain?.append(SignedPayload(payload))
        let noted = notes.hashes(through: seq)
        guard let newest = noted.first, chain.map({ !noted.contains($0.hash) }) ?? true else {
            return
        }
        if chain != nil { note(seq) }
        chain = start.from(seq, newest)
    }

    private mutating func note(_ seq: Int) {
        if let last = damaged.last, last.upperBound == seq - 1 {
            damaged[damaged.count - 1] = last.lowerBound...seq
        } else {
            damaged.append(seq...seq)
        }
    }
}
