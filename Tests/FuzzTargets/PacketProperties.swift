import FoundationEssentials

@testable import BeamscribeCore

/// The packet decoder reads what the general JSON decoder reads of a JSON text, the quick readers
/// in it never anything else, and what it read is the same after the wire.
enum PacketProperties {
    static func check(_ payload: UnsafeRawBufferPointer) throws(BrokenProperty) {
        let packet: Packet
        do throws(PacketError) {
            packet = try PacketDecoder().packet(payload)
        } catch {
            let sentence = "\(error)"
            try expect(SafeText.isSafe(sentence), "an error that is not safe to show: \(sentence)")
            // The general decoder takes any bytes in values that nobody asks for.
            let isText = JSONGrammar.accepts(payload)
            return try expect(
                !isText || general(payload) == nil, "refused a packet (\(sentence))")
        }
        try expect(general(payload) == packet, "the quick reader read \(packet)")
        try checkWire(packet)
    }

    private static func general(_ payload: UnsafeRawBufferPointer) -> Packet? {
        try? OutsideJSON().decode(Packet.self, from: Data(payload))
    }

    private static func checkWire(_ packet: Packet) throws(BrokenProperty) {
        guard let frame = try? FrameEncoder().frame(packet) else {
            throw BrokenProperty("\(packet) was read and cannot be written")
        }
        let again = frame.withUnsafeBytes {
            try? PacketDecoder().packet(UnsafeRawBufferPointer(rebasing: $0.dropFirst(4)))
        }
        try expect(again == packet, "\(packet) came back as \(String(describing: again))")
    }
}
