import FoundationEssentials

/// A writer's signature: r and s (FIPS 186-5), 32 bytes each and big-endian.
public struct LogSignature: Hashable, Sendable {
    /// The size, in bytes.
    public static let size = 64
    /// The 64 bytes.
    public let bytes: [UInt8]

    /// Nil unless there are 64 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// How many characters ``text`` has.
    static let textBytes = 86

    /// Reads 86 characters of base64url (RFC 4648, section 5), and nothing else: of the ways to write
    /// a signature one is right.
    ///
    /// A late reader gets one with every line that was said by itself, and the general decoder takes four
    /// microseconds for each.
    init?(text: UnsafeRawBufferPointer) {
        guard text.count == Self.textBytes else { return nil }
        var isText = true
        var rest: UInt16 = 0
        bytes = [UInt8](unsafeUninitializedCapacity: Self.size) { bytes, count in
            var bits = 0
            for character in text {
                let value = Self.values[Int(character)]
                isText = isText && value < 64
                rest = rest << 6 | UInt16(value)
                bits += 6
                guard bits >= 8 else { continue }
                bits -= 8
                bytes[count] = UInt8(truncatingIfNeeded: rest >> bits)
                count += 1
                rest &= 1 << bits &- 1
            }
        }
        // Of the last character four bits are to spare.
        guard isText, rest == 0 else { return nil }
    }

    /// What each character stands for; 255 for none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for (value, character) in alphabet.utf8.enumerated() {
            values[Int(character)] = UInt8(clamping: value)
        }
        return values
    }()

    /// The signature as it stands in a packet: base64url without padding.
    var text: String {
        let standard = Data(bytes).base64EncodedString().dropLast(2)
        return String(standard.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

/// A packet as its writer signs it: its body are the bytes that are hashed, as they came. They are
/// never read and written again, for two writers of JSON are not of one mind.
///
///     {"type":"liveChunk", ... ,"sentTimestamp":1795219607.5,"sig":"czYlVM-k...22ONyQ"}
///     |---------------------- body -------------------------|------- 96 bytes --------|
///
/// Without a signature the body is all but the last brace.
public struct SignedPayload {
    /// Valid for as long as the payload that it is of.
    public let body: UnsafeRawBufferPointer
    /// The signature as it is written; nil where there is none.
    private let text: UnsafeRawBufferPointer?

    /// Bytes between a body and its payload's end.
    static let tailBytes = head.utf8CodeUnitCount + LogSignature.textBytes + end.utf8CodeUnitCount
    private static let head: StaticString = #","sig":""#
    private static let end: StaticString = #""}"#

    /// - Parameter payload: one JSON object, as it is on the wire.
    public init(_ payload: UnsafeRawBufferPointer) {
        let tail = UnsafeRawBufferPointer(rebasing: payload.suffix(Self.tailBytes))
        text = Self.text(in: tail)
        let rest = text == nil ? min(1, payload.count) : Self.tailBytes
        body = UnsafeRawBufferPointer(rebasing: payload.dropLast(rest))
    }

    /// Whether there is a signature, of whatever worth.
    public var isSigned: Bool { text != nil }

    /// Nil where there is none, or what stands there is none.
    public var signature: LogSignature? { text.flatMap { LogSignature(text: $0) } }

    private static func text(in tail: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let (front, back) = (head.utf8CodeUnitCount, end.utf8CodeUnitCount)
        guard tail.count == tailBytes,
            UnsafeRawBufferPointer(rebasing: tail.prefix(front)).spell(head),
            UnsafeRawBufferPointer(rebasing: tail.suffix(back)).spell(end)
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: tail.dropFirst(front).dropLast(back))
    }

    /// A payload with its signature: `payload` is one without.
    public static func signed(
        _ payload: some Sequence<UInt8>, by signature: LogSignature
    ) -> [UInt8] {
        Array(payload).dropLast() + "\(head)\(signature.text)\(end)".utf8
    }
}
