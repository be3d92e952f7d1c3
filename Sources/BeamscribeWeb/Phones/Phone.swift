import BeamscribeCore
import NIOCore
import NIOHTTPTypes

/// A browser that reads.
struct Phone {
    let channel: any Channel
    var position: Reader
    /// The newest beat that it heard.
    var beat: Int
    /// Whether it has everything, and nothing follows.
    var isOver = false
    /// Its task, which waits for something new.
    var waiter: CheckedContinuation<Void, Never>?

    /// Sends it a piece of the stream, where its channel takes one.
    func write(_ bytes: ByteBuffer) -> Bool {
        guard channel.isActive, channel.isWritable else { return false }
        channel.writeAndFlush(HTTPResponsePart.body(bytes), promise: nil)
        return true
    }

    mutating func wake() {
        waiter?.resume()
        waiter = nil
    }
}
