internal import BeamscribeCore

/// A folder of what the program keeps: what is done in it is done in it, whatever happens to its
/// path.
///
/// ``PrivateFolder`` is the system's.
package protocol Folder: AnyObject, Sendable {
    /// For people.
    var path: String { get }

    func folder(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any Folder
    /// A file that grows. One that is made is empty, or what an earlier try to make it has left.
    func file(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any File
    /// The bytes of a small file, `limit` at most.
    func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8]
    /// Replaces a small file, or makes it: whoever reads it finds the old one or the new one, whole.
    ///
    /// - Parameter durably: whether the disk has to have it before this returns.
    func replace(_ name: String, with bytes: [UInt8], durably: Bool) throws(SystemError)
    /// Waits until the disk has the bytes of a small file.
    func synchronize(_ name: String) throws(SystemError)
    /// Removes a file, or a folder with nothing in it; one that is not there is fine.
    func remove(_ name: String) throws(SystemError)
    func names() -> [String]
    /// Waits until the disk has the names of what is in the folder.
    func synchronize() throws(SystemError)
}

extension Folder {
    func read(_ name: String) throws(SystemError) -> [UInt8] {
        try read(name, limit: Limits.smallFile)
    }
}

/// What a folder or a file is opened for.
package enum OpenPurpose: Sendable {
    /// Nothing is changed.
    case read
    /// It must be there already.
    case write
    /// It is made where it is missing.
    case make
}

/// Where the program's folders are.
package protocol FolderRoot: Sendable {
    /// Opens the folder; to make it, those above it are made, too, where they are missing.
    func open(for purpose: OpenPurpose) throws(SystemError) -> any Folder
}

/// An open file, read and written anywhere. It is closed when nobody has it any more.
package protocol File: AnyObject, Sendable {
    /// Takes its lock, which lasts as long as this does. False where another program has it.
    func lock() throws(SystemError) -> Bool
    var isLockedByAnother: Bool { get }
    /// Its size in bytes, and when it was last written, in seconds since 1970.
    func status() throws(SystemError) -> (size: UInt64, modified: Double)
    /// Reads from `offset` on, and returns how many bytes; none at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int
    /// Writes at `offset`, and returns how many bytes the file system took.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int
    /// Waits until the disk has what was written (fdatasync(2)).
    func synchronize() throws(SystemError)
    /// Cuts off what lies behind `size` bytes.
    func truncate(to size: UInt64) throws(SystemError)
}
