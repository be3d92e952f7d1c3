public import BeamscribeCore

/// Writes captions as server-sent events (HTML standard, section 9.2). A packet has no line break,
/// so that it is one line of data; what an event's name says of a caption is left out of it, and the
/// signature that a browser cannot judge: two fifths of what a crowd's network would carry. A final's id is its number: what a reader says of itself
/// when it comes back (`Last-Event-ID`) is the newest final that it has.
public struct EventStreamEncoder: FeedEncoder {
    /// Whether a final's number is its event's id.
    private let numbersFinals: Bool

    /// An encoder.
    ///
    /// - Parameter numbersFinals: whether a final's number is its event's id; it is none where several
    ///   logs are read together.
    public init(numbersFinals: Bool = true) { self.numbersFinals = numbersFinals }

    public func append(_ item: Reader.Item, to bytes: inout [UInt8]) {
        switch item {
        case .final(let seq, let payload):
            if numbersFinals {
                bytes += "id: ".utf8
                bytes += String(seq).utf8
                bytes += "\n".utf8
            }
            append(data: payload, without: Self.finalBeginning, to: &bytes)
        case .partial(let payload):
            bytes += "event: partial\n".utf8
            append(data: payload, without: Self.partialBeginning, to: &bytes)
        case .alert(let payload):
            bytes += "event: alert\n".utf8
            append(data: payload, to: &bytes)
        case .gap(let lines):
            let from = lines.lowerBound
            bytes += #"event: gap\#ndata: {"from":\#(from),"through":\#(lines.upperBound)}"#.utf8
            bytes += "\n\n".utf8
        }
    }

    /// How ``FrameEncoder`` begins captions.
    private static let finalBeginning = Array(#"{"type":"liveChunk","isFinal":true,"#.utf8)
    private static let partialBeginning = Array(#"{"type":"liveChunk","isFinal":false,"#.utf8)

    private func append(
        data payload: UnsafeRawBufferPointer, without beginning: [UInt8]? = nil,
        to bytes: inout [UInt8]
    ) {
        bytes += "data: ".utf8
        BrowserCaption.withBody(of: payload) { body in
            if let beginning, body.starts(with: beginning) {
                bytes.append(UInt8(ascii: "{"))
                bytes += body[beginning.count...]
            } else {
                bytes += body
            }
        }
        bytes += "}\n\n".utf8
    }

    /// An event with a name, whose data are JSON without a line break.
    public static func event(_ name: String, json: some Collection<UInt8>) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }
}
