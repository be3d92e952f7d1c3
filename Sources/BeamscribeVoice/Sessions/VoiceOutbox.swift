import BeamscribeCore

/// What is to be sent, in the order in which it is to go, without a piece of memory for each.
///
/// It is filled by a machine and emptied by who has the socket, again and again.
///
/// Invariant: of `bytes` the first `used` are those of packets; what is behind them was sent, or is room.
public struct VoiceOutbox<Address> {
    /// A datagram, and where it goes.
    public struct Datagram {
        /// Where its bytes are.
        public var range: Range<Int>
        /// Where it goes.
        public var address: Address
    }

    /// Where the bytes of all datagrams are.
    public private(set) var bytes: [UInt8] = []
    private var used = 0
    /// The datagrams.
    public private(set) var datagrams: [Datagram] = []

    /// Nothing.
    public init() {}

    /// Forgets what was sent.
    public mutating func clear() {
        used = 0
        datagrams.removeAll(keepingCapacity: true)
    }

    /// Adds a packet, protected.
    mutating func add(
        _ packet: UnsafeRawBufferPointer, by protection: any VoiceProtection, to address: Address
    ) {
        guard let range = append(packet, protection) else { return }
        datagrams.append(Datagram(range: range, address: address))
    }

    /// Adds a packet for each of those who are reached by datagrams, protected for each, but for who has said it.
    mutating func add<ID>(
        _ packet: UnsafeRawBufferPointer, to legs: VoiceLegs<ID, Address>, from talker: UInt32
    ) {
        for (index, source) in legs.sources.enumerated() where source != talker {
            guard let range = append(packet, legs.protections[index]) else { continue }
            datagrams.append(Datagram(range: range, address: legs.addresses[index]))
        }
    }

    /// A packet, protected, as a message of its own.
    mutating func packet(
        _ packet: UnsafeRawBufferPointer, by protection: any VoiceProtection
    ) -> [UInt8]? {
        guard let range = append(packet, protection) else { return nil }
        used = range.lowerBound
        return Array(bytes[range])
    }

    private mutating func append(
        _ packet: UnsafeRawBufferPointer, _ protection: any VoiceProtection
    ) -> Range<Int>? {
        let place = used..<used + packet.count + VoiceProtectionRoom.bytes
        if bytes.count < place.upperBound {
            bytes += repeatElement(0, count: place.upperBound)
        }
        let length = bytes.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[place])
            room.copyMemory(from: packet)
            return protection.protect(room, count: packet.count)
        }
        guard let length else { return nil }
        used += length
        return place.lowerBound..<used
    }
}

/// How much longer protection makes a packet at most.
public enum VoiceProtectionRoom {
    /// A tag of 16 bytes, and an index of 4 for RTCP.
    public static let bytes = 20
}
