import BeamscribeCore

extension UnsafeRawBufferPointer {
    /// A number in network byte order. The bytes must be there.
    func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension [UInt8] {
    /// Appends a number in network byte order.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
