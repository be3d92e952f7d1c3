package import BeamscribeCore

/// The file that holds a session's lines. Whoever writes it holds its lock.
public final class SessionLog: Sendable {
    public let path: String
    private let file: any File

    /// The log in a session's folder. Of a new log, what an earlier try to make it has left is fine.
    init(in folder: any Folder, for purpose: OpenPurpose) throws(SystemError) {
        path = folder.path + "/log"
        file = try folder.file("log", for: purpose)
    }

    /// A log wherever it is, which is only read; another program may be writing it.
    public init(reading path: String) throws(SystemError) {
        self.path = path
        file = try SystemFile(reading: path)
    }

    /// Takes the lock, which lasts as long as this does. False where another program has it.
    func lock() throws(SystemError) -> Bool { try file.lock() }

    public var isLockedByAnother: Bool { file.isLockedByAnother }

    /// The log's size in bytes, and when it was last written, in seconds since 1970.
    public func status() throws(SystemError) -> (size: UInt64, modified: Double) {
        try file.status()
    }

    /// Which line may stand where in it, as its session's record knows that.
    package func boundaries(of record: SessionRecord) -> RunBoundaries {
        record.boundaries(inLogOf: (try? status().size) ?? .max)
    }

    /// Reads the log piece by piece, about 2,000 lines each.
    ///
    /// - Parameter piece: gets bytes that are valid during the call, none at the end, and where they
    ///   lie, and returns the offset of the bytes that it wants next; nil to stop.
    public func readAll(
        _ piece: (UnsafeRawBufferPointer, UInt64) -> UInt64?
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
        defer { buffer.deallocate() }
        var next: UInt64? = 0
        while let offset = next {
            let count = try file.read(into: buffer, at: offset)
            next = piece(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset)
        }
    }

    /// The bytes from `offset` to the end, `limit` at most.
    public func bytes(from offset: UInt64, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var failure: SystemError?
        var count = 0
        bytes.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                count = try file.read(into: buffer, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return Array(bytes.prefix(count))
    }

    /// Writes `bytes` at `offset`.
    ///
    /// - Returns: how many the file system took.
    public func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try file.write(bytes, at: offset)
    }

    /// Waits until the disk has what was written.
    public func synchronize() throws(SystemError) { try file.synchronize() }

    /// Where the line behind line `seq` begins, or would: nothing of what lies there is looked at.
    public func offset(behind seq: Int) throws(SystemError) -> UInt64 {
        var survey = JournalSurvey()
        var end: UInt64 = 0
        try readAll { bytes, offset in
            // What is damaged before it stays.
            survey.read(bytes, at: offset, through: seq) { end = $0 }
        }
        return end
    }

    /// Cuts off what lies behind `size` bytes.
    public func truncate(to size: UInt64) throws(SystemError) { try file.truncate(to: size) }
}
