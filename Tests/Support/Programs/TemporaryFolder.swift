import Foundation
import Glibc

/// A new, empty folder that goes with the last reference to it, or with the test process.
public final class TemporaryFolder: Sendable {
    public let path: String
    private let afterDeath: Reaper.Ticket

    public init() throws {
        let parent = URL(filePath: NSTemporaryDirectory()).standardizedFileURL.path
        var template = Array("\(parent)/beamscribe-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw SpawnFailed("a test with a folder in \(parent)", errno: errno)
        }
        path = String(cString: made)
        afterDeath = Reaper.shared.register("rm -rf -- \(Reaper.quoted(path))")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        afterDeath.forget()
    }

    /// The path of `name` in the folder, whether or not it exists.
    public func path(of name: String) -> String {
        path + "/" + name
    }

    /// Makes a folder in the folder and answers its path.
    @discardableResult
    public func makeFolder(_ name: String) throws -> String {
        let path = path(of: name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Writes `text` to file `name` and answers its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(of: name), atomically: true, encoding: .utf8)
        return path(of: name)
    }

    public func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(of: name), encoding: .utf8)
    }
}
