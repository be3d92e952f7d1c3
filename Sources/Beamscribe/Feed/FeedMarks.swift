import BeamscribeCore
import FoundationEssentials

/// The newest finals that a browser has: `842` of one log, `SESSION:842,SESSION:17` of several.
public struct FeedMarks: Sendable {
    private let single: Int?
    private let numbers: [String: Int]

    /// What a browser says that it has; of what is none it has nothing.
    public init(_ text: String) {
        single = Int(bounded: text)
        let pairs = text.split(separator: ",").prefix(Limits.logs + 1).compactMap { part in
            part.lastIndex(of: ":").flatMap { colon in
                Int(bounded: part[part.index(after: colon)...]).map { (String(part[..<colon]), $0) }
            }
        }
        numbers = Dictionary(pairs) { first, _ in first }
    }

    /// That of the main log.
    func main(_ session: String) -> Int { single ?? numbers[session] ?? 0 }

    /// That of another log.
    func other(_ session: String) -> Int { numbers[session] ?? 0 }

    /// What says of each log, by its id, which is its newest final.
    static func text(_ marks: [(session: String, seq: Int)]) -> String {
        marks.map { "\($0.session):\($0.seq)" }.joined(separator: ",")
    }
}
