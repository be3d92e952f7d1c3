import Foundation

/// Reads QR codes from pictures with a program that has nothing to do with who made them: ZBar.
public enum CodeReader {
    /// Why there is no reading here; nil where there is.
    public static func unavailableReason() -> String? {
        if !Tool.exists("zbarimg") { return "zbarimg is missing (Debian: zbar-tools)" }
        return Tool.exists("rsvg-convert") ? nil : "rsvg-convert is missing (Debian: librsvg2-bin)"
    }

    /// What the only QR code in a picture says. Fails where none can be read.
    public static func read(_ picture: [UInt8]) async throws -> String {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "picture")
        try Data(picture).write(to: URL(filePath: path))
        return try await read(file: path)
    }

    /// What the only QR code in a drawing says when it is drawn `width` pixels wide.
    public static func read(svg drawing: [UInt8], width: Int) async throws -> String {
        let folder = try TemporaryFolder()
        let svg = folder.path(of: "drawing.svg")
        let png = folder.path(of: "drawing.png")
        try Data(drawing).write(to: URL(filePath: svg))
        let words = ["--width", "\(width)", "--keep-aspect-ratio", "--output", png, svg]
        try await Tool.run(Launch("rsvg-convert", arguments: words))
        return try await read(file: png)
    }

    private static func read(file: String) async throws -> String {
        let words = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file]
        let text = try await Tool.run(Launch("zbarimg", arguments: words))
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
