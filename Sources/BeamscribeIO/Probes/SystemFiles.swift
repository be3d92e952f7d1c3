import BeamscribeCore
internal import CLinux
internal import Glibc

/// The files in which the system tells about itself: below /proc, /sys, /run and /etc.
public struct SystemFiles: Sendable {
    private let root: String

    /// - Parameter root: the folder that stands for `/`.
    public init(root: String = "") {
        self.root = root
    }

    /// Whether there is a file or folder at `path` that this process may see.
    public func exists(_ path: String) -> Bool {
        access(root + path, F_OK) == 0
    }

    /// The text of a file; nil where it is not there or must not be read.
    public func text(_ path: String) -> String? {
        let bytes = try? SmallFile.read(
            Descriptor("open", path) {
                clinux_open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
            }, path, limit: Self.maximumSize)
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first line of a file, without blanks at its ends: how /sys gives a single value.
    public func value(_ path: String) -> String? {
        guard let line = text(path)?.split(separator: "\n").first else { return nil }
        return line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// What is in a folder, by name; empty where it is not there or must not be read.
    public func names(in path: String) -> [String] { SmallFile.names(in: root + path) }

    /// Where a symbolic link leads, as it is written; nil where there is none to be read.
    public func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = readlink(root + path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// A table of the kernel's can be long, but not this long.
    private static let maximumSize = 16 * 1_024 * 1_024
}
