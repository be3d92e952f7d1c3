/// Names as somebody makes them up who wants a program to take them for something else.
public enum HostileText {
    /// The printable ASCII signs that are neither letters nor digits, and the space.
    public static let specials = (0x20...0x7E).compactMap { Unicode.Scalar($0) }
        .filter {
            !("0"..."9").contains($0) && !("A"..."Z").contains($0) && !("a"..."z").contains($0)
        }

    /// Scalars that to Swift make one `Character` with what stands before them or behind.
    public static let companions: [Unicode.Scalar] = [
        "\u{0301}", "\u{0338}", "\u{20E3}", "\u{0600}", "\u{0601}", "\u{0602}", "\u{0603}",
        "\u{0604}", "\u{0605}", "\u{06DD}", "\u{070F}", "\u{08E2}", "\u{110BD}", "\u{0D4E}",
        "\u{111C2}", "\u{FE0F}",
        "\u{200D}", "\u{200C}", "\u{00AD}", "\u{2060}", "\u{FEFF}", "\u{E0020}", "\u{1F3FD}",
    ]

    /// Each special sign alone, behind each companion, before it, and between two of them.
    public static let words = specials.flatMap { sign in
        ["\(sign)", "\(sign)\(sign)"]
            + companions.flatMap { other in
                ["\(sign)\(other)", "\(other)\(sign)", "\(other)\(sign)\(other)"].map { "a\($0)b" }
            }
    }

    /// Names that run `touch` with `path` where a shell takes any of their parts for its own.
    public static func names(touching path: String) -> [String] {
        let command = "$(touch \(path))"
        return [
            "Hall'\u{0301}\u{0600}\(command)", "\u{0600}'\(command)'",
            "'\u{FE0F}\(command)'\u{200D}",
            "\u{110BD}`touch \(path)`\u{0301}", "\u{06DD}\"\u{08E2}\(command)\"",
            "a;touch \(path);b",
            "\\'; touch \(path); '", "$\u{0301}\(command)", "~\u{0600}<(touch \(path))",
            "!\u{00AD}#", "a !! !$ b",
        ]
    }
}
