import BeamscribeCore
import BeamscribeIO

/// The words that a user wants masked.
struct MaskedWords {
    /// Whether the built-in list counts.
    var usesEnglish: Bool
    /// A list of the user's own.
    var file: String?

    /// The largest list, in bytes: every word of a language.
    private static let largest = 4_194_304

    /// Nil where nothing is to be masked.
    ///
    /// - Throws: ``Failure`` where the list can't be read.
    func mask() throws -> WordMask? {
        var mask = usesEnglish ? WordMask.english : nil
        if let file {
            let own = try own(file)
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
