import BeamscribeCore
import FoundationEssentials

/// How far the file of `--save` is, kept beside it while it is not finished, so that another
/// `join` with the same file goes on in it.
///
/// It is written after the file: of the two, it is never ahead.
struct SavedPosition: Codable, Sendable {
    var version = 1
    /// The session that the lines are of.
    var session: String
    /// The session's run in which the last line came.
    var run: Int
    /// The last line in the file.
    var after: Int
    /// The bytes that hold it and those before.
    var bytes: Int
    /// What the file's writer knows.
    var writer: EventWriter.Progress

    /// Where the position of `file` is kept.
    static func path(for file: String) -> String { file + ".beamscribe" }

    var json: [UInt8] {
        // Encoding fails for numbers that are not finite only.
        (try? JSONEncoder().encode(self)).map { Array($0) + [UInt8(ascii: "\n")] } ?? []
    }
}

extension SavedPosition {
    /// Nil for what this version has not written.
    init?(json: [UInt8]) {
        guard let position = try? JSONDecoder().decode(Self.self, from: Data(json)),
            position.version == 1, (0...Limits.lineNumber).contains(position.after),
            position.bytes >= 0
        else { return nil }
        self = position
    }
}
