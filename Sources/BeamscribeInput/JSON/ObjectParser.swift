import BeamscribeCore
import FoundationEssentials

/// What the JSON objects of one form mean.
protocol ObjectGrammar: Sendable {
    /// What is read of an object.
    associatedtype Message: Decodable

    /// Nothing has been read yet.
    init()

    /// An object has come.
    mutating func take(_ message: Message, into output: inout CaptionOutput)
}

/// Reads an input of JSON objects, each of which means something of its own.
struct ObjectParser<Grammar: ObjectGrammar>: InputParser {
    private var scanner = ObjectScanner()
    private var grammar = Grammar()
    private var output = CaptionOutput()
    private let decoder = OutsideJSON()

    var isAmidst: Bool { scanner.isOpen }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        for piece in scanner.feed(bytes) { take(piece) }
        return output.take()
    }

    mutating func finish() -> [InputEvent] {
        if let piece = scanner.finish() { take(piece) }
        output.closeAll()
        defer { self = ObjectParser() }
        return output.take()
    }

    private mutating func take(_ piece: ObjectScanner.Piece) {
        switch piece {
        case .damaged(let line, let reason): output.warn(line: line, reason)
        case .object(let bytes, let line):
            do {
                let message = try bytes.withUnsafeBytes {
                    try JSONText.decode(Grammar.Message.self, from: $0, with: decoder)
                }
                grammar.take(message, into: &output)
            } catch {
                output.warn(line: line, Self.reason(for: error))
            }
        }
    }

    private static func reason(for error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
            // The innermost key's name is this program's own; a number is a place in a list.
            let key = context.codingPath.last { $0.intValue == nil }
            return key.map { "\"\($0.stringValue)\" is not what this form has there" }
                ?? ObjectScanner.notJSON
        default: return ObjectScanner.notJSON
        }
    }
}
