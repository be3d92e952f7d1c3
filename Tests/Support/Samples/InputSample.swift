import Foundation

/// A file of Tests/Samples: what a program writes that the host understands.
public struct InputSample: Sendable, CustomStringConvertible {
    /// The file's name.
    public let name: String
    /// The form, as `--input-format` names it.
    public let format: String
    /// What a guest prints of it, in its order.
    public let lines: [String]

    init(_ name: String, _ format: String, _ lines: [String]) {
        self.name = name
        self.format = format
        self.lines = lines
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
