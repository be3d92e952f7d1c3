import ArgumentParser
import BeamscribeIO

/// Where an export goes: standard output, or a new file.
final class ExportOutput {
    private let file: OutputFile?
    private let path: String?
    private var waiting = ""

    /// Text is written in pieces of so many bytes.
    private static let piece = 65_536

    /// - Parameter path: a file that is not there yet; nil for standard output.
    /// - Throws: ``Failure`` where the file can't be made.
    init(path: String?) throws {
        self.path = path
        do throws(SystemError) {
            if let path { file = try OutputFile(creating: path) } else { file = nil }
        } catch {
            throw Failure(.cannotMakeFile, "\(error). Choose another name; nothing was changed.")
        }
    }

    /// Takes `text`, and writes when there is enough of it.
    func write(_ text: String) throws {
        waiting += text
        if waiting.utf8.count >= Self.piece { try flush() }
    }

    /// Writes what is left. A reader of standard output that has gone has seen enough.
    func flush() throws {
        defer { waiting.removeAll(keepingCapacity: true) }
        do throws(SystemError) {
            if file == nil {
                try Terminal.write(waiting, to: .output)
            } else {
                try file?.write(waiting)
            }
        } catch {
            if error.isBrokenPipe { throw ExitCode.success }
            throw Failure(cannotWrite: error)
        }
    }

    /// A file that is not complete would be taken for one that is.
    func discard() {
        if let path { try? SmallFile.remove(path) }
    }
}
