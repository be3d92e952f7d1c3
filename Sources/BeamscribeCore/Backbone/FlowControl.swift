/// Decides which requests of flow control are answered.
///
/// Anybody who can write to a reader's inbox can make one, and an answer goes where it says.
package enum FlowControl {
    private static let longest = 512

    /// Returns the subject of an answer: `$JS.FC.<stream>.<consumer>...`, as servers make it.
    ///
    /// - Returns: nil for another subject, and for one that is more than a subject.
    package static func subject(_ asked: String, of stream: BackboneStream) -> String? {
        let bytes = asked.utf8
        guard bytes.count <= longest, asked.hasPrefix("$JS.FC.\(stream.name)."),
            bytes.allSatisfy({ isOfSubject($0) }), !asked.contains(".."), bytes.last != 0x2E
        else { return nil }
        return asked
    }

    private static func isOfSubject(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
