internal import CLinux
internal import Glibc

/// A file that is written from its start, in the order of the calls.
public struct OutputFile: ~Copyable {
    private let descriptor: Descriptor
    /// The path as it was given.
    public let path: String

    /// Makes the file, which must not be there yet: nobody's transcript is overwritten.
    public init(creating path: String) throws(SystemError) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let number = try system("make the file", path) { clinux_open(path, flags, 0o644) }
        descriptor = Descriptor(owning: number ?? -1)
    }

    /// Writes all of `text`.
    public func write(_ text: String) throws(SystemError) {
        var text = text
        var failure: SystemError?
        text.withUTF8 { bytes in
            do throws(SystemError) {
                try writeAll(UnsafeRawBufferPointer(bytes), to: descriptor.number, path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
