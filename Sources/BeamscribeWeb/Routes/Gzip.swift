import BeamscribeCore
import CZlib

/// The gzip form of bytes (RFC 1952), for browsers that take it.
enum Gzip {
    /// Nil where it does not come out smaller, or there is no memory for it.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 is the largest window, and 16 more ask for gzip's header; 8 is zlib's usual memory.
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, Int32(clamping: MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count))
        let (length, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        let (outcome, written) = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, length)
                (stream.next_out, stream.avail_out) = (target.baseAddress, room)
                return (deflate(&stream, Z_FINISH), Int(clamping: stream.total_out))
            }
        }
        guard outcome == Z_STREAM_END else { return nil }
        output.removeLast(output.count - written)
        return output
    }
}
