import Foundation

/// The programs that the package under test builds.
public enum Binary {
    /// The directory that the test bundle was built into, and the package's programs with it.
    public static let productsDirectory: String = {
        // The running executable is the test bundle itself on Linux.
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own ?? CommandLine.arguments[0]).deletingLastPathComponent().path
    }()

    /// The `beamscribe` program: what `BEAMSCRIBE_BINARY` names, or else the one beside the tests.
    public static let beamscribe: String =
        ProcessInfo.processInfo.environment["BEAMSCRIBE_BINARY"] ?? path(of: "beamscribe")

    /// The path of a program that was built together with the tests.
    public static func path(of name: String) -> String {
        productsDirectory + "/" + name
    }
}
