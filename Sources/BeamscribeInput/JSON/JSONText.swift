import BeamscribeCore
import FoundationEssentials

/// What readers of JSON need to know about bytes.
enum JSONText {
    /// The byte order mark with which some editors begin a file.
    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    static func withoutMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    }

    /// Decodes a line that is not empty, where it lies.
    static func decode<T: Decodable>(
        _ type: T.Type, from line: UnsafeRawBufferPointer, with decoder: OutsideJSON
    ) throws -> T {
        // The decoder only reads, and the data does not outlive this call.
        let bytes = UnsafeMutableRawPointer(mutating: line.baseAddress!)
        let data = Data(bytesNoCopy: bytes, count: line.count, deallocator: .none)
        return try decoder.decode(type, from: data)
    }
}
