/// What a log's lines hash to, one line after another, as whoever stores the log notes it in a file
/// beside it.
///
///     +----------+----------------+----------+----------------+ - - -
///     | seq (8)  | h(seq) (32)    | seq (8)  | h(seq) (32)    |      big-endian, in the order in which it was noted
///     +----------+----------------+----------+----------------+ - - -
///
/// Where a line is damaged, nobody can say what it hashed to, and so nobody can prove the lines
/// behind it. The note says it. It needs no trust: a signature behind the line shows whether the
/// note is right.
///
/// Of one line there may be several notes, since lines that were withdrawn give their numbers to
/// others.
public struct ChainCheckpoints: Sendable {
    /// The bytes of a note.
    public static let size = 40
    /// How many notes of one line are looked at, the newest first.
    private static let perLine = 4

    /// The notes by their lines' numbers, those of one line in the order in which they were made.
    private var notes: [(seq: Int, hash: LogHash)] = []
    /// The line of the newest note; 0 for none. Notes of lines that were withdrawn since are older.
    public private(set) var newest = 0

    /// No notes.
    public init() {}

    /// The notes of a file; a torn one at its end counts for nothing, as does one that cannot be.
    public init(_ bytes: [UInt8]) {
        notes.reserveCapacity(bytes.count / Self.size)
        var isOrdered = true
        for start in stride(from: 0, to: bytes.count - bytes.count % Self.size, by: Self.size) {
            let number = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let seq = Int(exactly: number), seq >= 1, seq <= Limits.lineNumber,
                let hash = LogHash(bytes: Array(bytes[start + 8..<start + Self.size]))
            else { continue }
            isOrdered = isOrdered && seq >= notes.last?.seq ?? 0
            notes.append((seq, hash))
            newest = seq
        }
        guard !isOrdered else { return }
        notes = notes.enumerated().sorted {
            ($0.element.seq, $0.offset) < ($1.element.seq, $1.offset)
        }.map(\.element)
    }

    /// A note as it is written.
    static func bytes(of chain: LineChain) -> [UInt8] {
        withUnsafeBytes(of: UInt64(clamping: chain.seq).bigEndian) { Array($0) } + chain.hash.bytes
    }

    /// The line of the last note of a file, which ends with these bytes; 0 for none.
    public static func lastSeq(of end: [UInt8]) -> Int {
        ChainCheckpoints(end).notes.last?.seq ?? 0
    }

    /// What the lines through `seq` hash to, by the newest notes.
    func hashes(through seq: Int) -> [LogHash] {
        var (low, high) = (0, notes.count)
        while low < high {
            let middle = (low + high) / 2
            if notes[middle].seq <= seq { low = middle + 1 } else { high = middle }
        }
        var hashes: [LogHash] = []
        for note in notes[..<low].reversed().prefix(Self.perLine) where note.seq == seq {
            if !hashes.contains(note.hash) { hashes.append(note.hash) }
        }
        return hashes
    }
}

/// Notes what a log's lines hash to, each once.
///
/// Invariant: `chain` is that of the log through the last line that was noted; nil where that is
/// not known.
package struct CheckpointWriter {
    private var chain: LineChain?
    private var noted: Int

    /// - Parameter seq: the last line of which there is a note.
    package init(after seq: Int) { noted = seq }

    /// Gives the notes of the lines that are not noted yet, through line `seq`, in pieces of
    /// ``Limits/checkpointsAtOnce`` lines. Lines that memory has let go have none.
    package mutating func write(
        of log: EventLog, through seq: Int, to add: (_ notes: [UInt8]) -> Void
    ) {
        guard log.isSigned else { return }
        while noted < seq {
            let notes = notes(of: log, through: min(seq, noted + Limits.checkpointsAtOnce))
            if !notes.isEmpty { add(notes) }
        }
    }

    private mutating func notes(of log: EventLog, through seq: Int) -> [UInt8] {
        var (bytes, here): ([UInt8], LineChain?) = ([], chain)
        log.forEachPayload(from: noted + 1, through: seq) { number, payload in
            if here?.seq != number - 1 { here = log.chain(before: number) }
            here?.append(SignedPayload(payload))
            if let here { bytes += ChainCheckpoints.bytes(of: here) }
        }
        (chain, noted) = (here, seq)
        return bytes
    }
}
