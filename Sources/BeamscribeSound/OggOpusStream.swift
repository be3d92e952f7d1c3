import BeamscribeCore
public import BeamscribeVoice
import COgg

/// A stream of Opus packets in Ogg (RFC 3533, RFC 7845), as browsers play it, mono.
///
/// Who comes in the midst of it needs ``beginning`` first, as with any station of the web.
public final class OggOpusStream: AudioContainer {
    public let beginning: [UInt8]
    private let state: UnsafeMutablePointer<ogg_stream_state>
    private var number: Int64

    /// - Parameter serial: which stream it is, among those of one file.
    /// - Returns: nil where there is no memory.
    public init?(serial: Int32) {
        state = .allocate(capacity: 1)
        guard ogg_stream_init(state, serial) == 0 else {
            state.deallocate()
            return nil
        }
        number = 0
        // Each has a page of its own (RFC 7845, section 3).
        var pages: [UInt8] = []
        for packet in [Self.head, Self.tags] {
            Self.put(packet, number: number, endingAt: 0, into: state)
            pages += Self.page(of: state)
            number += 1
        }
        beginning = pages
    }

    deinit {
        ogg_stream_clear(state)
        state.deallocate()
    }

    public func add(_ packet: [UInt8], endingAt sample: Int64) {
        Self.put(packet, number: number, endingAt: sample, into: state)
        number += 1
    }

    public func page() -> [UInt8] { Self.page(of: state) }

    private static func put(
        _ packet: [UInt8], number: Int64, endingAt sample: Int64,
        into state: UnsafeMutablePointer<ogg_stream_state>
    ) {
        var bytes = packet
        bytes.withUnsafeMutableBufferPointer { bytes in
            var packet = ogg_packet()
            (packet.packet, packet.bytes) = (bytes.baseAddress, bytes.count)
            packet.b_o_s = number == 0 ? 1 : 0
            (packet.granulepos, packet.packetno) = (sample, number)
            // It copies the bytes; without memory for them the packet is lost.
            _ = ogg_stream_packetin(state, &packet)
        }
    }

    private static func page(of state: UnsafeMutablePointer<ogg_stream_state>) -> [UInt8] {
        var page = ogg_page()
        guard ogg_stream_flush(state, &page) != 0 else { return [] }
        return Array(UnsafeBufferPointer(start: page.header, count: page.header_len))
            + Array(UnsafeBufferPointer(start: page.body, count: page.body_len))
    }

    /// RFC 7845, section 5.1: version 1, one channel, 312 samples before the first, 48 kHz, no gain, family 0.
    private static let head: [UInt8] =
        Array("OpusHead".utf8) + [1, 1, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, 0]
    /// Section 5.2: by whom, and no comments.
    private static let tags: [UInt8] =
        Array("OpusTags".utf8) + [10, 0, 0, 0] + Array("beamscribe".utf8) + [0, 0, 0, 0]
}
