import Foundation

/// A file of Tests/Samples: what a program writes that the host understands.
public struct InputSample: Sendable, CustomStringConvertible {
    /// The file's name.
    public let name: String
    /// The form, as `--input-format` names it.
    public let format: String
    /// Its finals, `Speaker: text`, in their order.
    public let lines: [String]
    /// Which of these correct which: the number of the one that is corrected, by an index.
    private let corrected: [Int: Int]

    init(
        _ name: String, _ format: String, _ lines: [String], correcting corrected: [Int: Int] = [:]
    ) {
        self.name = name
        self.format = format
        self.lines = lines
        self.corrected = corrected
    }

    /// What a guest prints of it, on a pipe.
    public var printed: [String] {
        lines.enumerated().map { index, line in
            corrected[index].map { "(correction to line \($0)) \(line)" } ?? line
        }
    }

    public var description: String { name }

    /// Where the file is.
    public var path: String { Repository.path(of: "Tests/Samples/\(name)") }

    /// What is in it.
    public func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// The sample with this name.
    public static func named(_ name: String) -> InputSample? { all.first { $0.name == name } }
}
