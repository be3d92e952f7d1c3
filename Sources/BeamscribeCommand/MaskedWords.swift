import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// The words that a user wants masked.
struct MaskedWords: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Mask the words of a file, one a line (word* for all that begin so, # for comments).",
            valueName: "file"),
        completion: .file())
    var maskWords: String?

    /// The largest list, in bytes: every word of a language.
    private static let largest = 4_194_304

    /// Nil where nothing is to be masked.
    ///
    /// - Parameter hasEnglish: whether the built-in list counts.
    /// - Throws: ``Failure`` where the user's own list can't be read.
    func mask(withEnglish hasEnglish: Bool) throws -> WordMask? {
        var mask = hasEnglish ? WordMask.english : nil
        if let maskWords {
            let own = try own(maskWords)
            mask = mask ?? WordMask()
            mask?.formUnion(own)
        }
        return mask
    }

    private func own(_ file: String) throws -> WordMask {
        do {
            let bytes = try SmallFile.read(file, limit: Self.largest)
            return try WordMask(list: String(decoding: bytes, as: UTF8.self))
        } catch let error as WordMask.ListError {
            throw Failure(.unreadableInput, "the list of words \(file) cannot be used: \(error).")
        } catch {
            throw Failure(
                .unreadableInput,
                "\(error). --mask-words takes a file with one word a line; is the name right?")
        }
    }
}
