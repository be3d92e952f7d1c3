import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// What the recogniser hears wrongly.
struct GlossaryOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Mend words by a file, `wrong = right` a line ([de] before those of a language, # for comments).",
            valueName: "file"),
        completion: .file())
    var glossary: String?

    /// The largest list, in bytes.
    private static let largest = 4_194_304

    /// Writes a pair behind what the file has.
    ///
    /// - Returns: its name; nil where there is none.
    func append(_ pair: GlossaryPair) throws(SystemError) -> String? {
        guard let glossary else { return nil }
        let text = String(
            decoding: try SmallFile.read(glossary, limit: Self.largest), as: UTF8.self)
        let file = try OutputFile(continuing: glossary)
        try file.rewind(to: try file.size)
        let start = text.isEmpty || text.last?.isNewline == true ? "" : "\n"
        // What stands before may be for one language.
        let section = text.contains("[") ? "[]\n" : ""
        try file.write("\(start)\(section)\(pair.wrong) = \(pair.right)\n")
        return glossary
    }

    /// Nil where there is none.
    ///
    /// - Throws: ``Failure`` where it can't be read.
    func read() throws -> Glossary? {
        guard let glossary else { return nil }
        do {
            let bytes = try SmallFile.read(glossary, limit: Self.largest)
            return try Glossary(list: String(decoding: bytes, as: UTF8.self))
        } catch let error as Glossary.ListError {
            throw Failure(
                .unreadableInput,
                "the glossary \(SafeText.line(glossary)) cannot be used: \(error).")
        } catch {
            throw Failure(
                .unreadableInput,
                "\(error). --glossary takes a file with `wrong = right` a line; is the name right?")
        }
    }
}
