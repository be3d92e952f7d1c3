/// What is to be sent, in the order in which it is to go, without a piece of memory for each.
///
/// It is filled by a machine and emptied by who has the socket, again and again.
public struct VoiceOutbox<Address> {
    /// A datagram, and where it goes.
    public struct Datagram {
        /// Where its bytes are.
        public var range: Range<Int>
        /// Where it goes.
        public var address: Address
    }

    /// The bytes of all datagrams.
    public private(set) var bytes: [UInt8] = []
    /// The datagrams.
    public private(set) var datagrams: [Datagram] = []

    /// Nothing.
    public init() {}

    /// Forgets what was sent.
    public mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        datagrams.removeAll(keepingCapacity: true)
    }

    /// Adds a packet, protected.
    mutating func add(
        _ packet: UnsafeRawBufferPointer, by protection: any VoiceProtection, to address: Address
    ) {
        guard let range = append(packet, protection) else { return }
        datagrams.append(Datagram(range: range, address: address))
    }

    /// A packet, protected, as a message of its own.
    mutating func packet(
        _ packet: UnsafeRawBufferPointer, by protection: any VoiceProtection
    ) -> [UInt8]? {
        guard let range = append(packet, protection) else { return nil }
        defer { bytes.removeSubrange(range) }
        return Array(bytes[range])
    }

    private mutating func append(
        _ packet: UnsafeRawBufferPointer, _ protection: any VoiceProtection
    ) -> Range<Int>? {
        let start = bytes.count
        let room = packet.count + VoiceProtectionRoom.bytes
        bytes.append(contentsOf: packet)
        bytes.append(contentsOf: repeatElement(0, count: VoiceProtectionRoom.bytes))
        let length = bytes.withUnsafeMutableBytes {
            protection.protect(
                UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + room]),
                count: packet.count)
        }
        bytes.removeSubrange(start + (length ?? 0)..<bytes.count)
        return length.map { start..<start + $0 }
    }
}

/// How much longer protection makes a packet at most.
public enum VoiceProtectionRoom {
    /// A tag of 16 bytes, and an index of 4 for RTCP.
    public static let bytes = 20
}
