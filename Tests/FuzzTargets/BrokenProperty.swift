/// What a target promises and did not keep, in one sentence.
public struct BrokenProperty: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws ``BrokenProperty`` with `sentence` unless `isKept`.
func expect(
    _ isKept: Bool, _ sentence: @autoclosure () -> String
) throws(BrokenProperty) {
    guard isKept else { throw BrokenProperty(sentence()) }
}
