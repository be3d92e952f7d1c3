import BeamscribeCore
import NIOCore

/// The short way of captions to a phone that has all that came before them: below HTTP, whose
/// handlers would frame the same bytes again for each phone, in three pieces.
///
///     server's task  -> HTTP's handlers -> |
///                       PhoneHub, chunk -> | StreamLane -> TLS, where there is one -> socket
///
/// Between two pieces of an answer's body there is room for a whole chunk: HTTP's encoder keeps
/// nothing back, and has no word of its own to say until the answer ends.
///
/// It is used on its connection's loop alone.
final class StreamLane: ChannelOutboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// From when the connection is there until it has gone.
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends a chunk, where the connection takes one.
    ///
    /// - Returns: whether it did.
    func send(_ chunk: ByteBuffer) -> Bool {
        guard let context, context.channel.isActive, context.channel.isWritable else {
            return false
        }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(chunk)), promise: nil)
        return true
    }

    /// Ends the connection where it takes nothing.
    func closeWhereFull() {
        guard let context, !context.channel.isWritable else { return }
        context.channel.close(promise: nil)
    }

    /// `bytes` as a chunk of a body (RFC 9112, section 7.1). No bytes would be its end.
    static func chunk(_ bytes: [UInt8]) -> ByteBuffer {
        precondition(!bytes.isEmpty)
        var chunk = ByteBuffer()
        chunk.reserveCapacity(bytes.count + 20)
        chunk.writeString(String(bytes.count, radix: 16) + "\r\n")
        chunk.writeBytes(bytes)
        chunk.writeString("\r\n")
        return chunk
    }
}
