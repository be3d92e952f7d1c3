import Foundation

/// The files of the project that its tests are built from.
public enum Repository {
    /// Where it is: three folders above this file.
    public static let path: String = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder.path
    }()

    /// The path of a file in it.
    public static func path(of name: String) -> String { path + "/" + name }

    /// A file's text.
    public static func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(of: name), encoding: .utf8)
    }
}
