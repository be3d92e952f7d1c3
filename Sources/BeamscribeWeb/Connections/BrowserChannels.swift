import BeamscribeTLS
import HummingbirdCore
import Logging
import NIOCore

/// Makes connections as `http` does, with the phones' lane below, and below that TLS, where there
/// is one.
struct BrowserChannels<HTTP: HTTPChannelHandler>: HTTPChannelHandler {
    let http: HTTP
    /// Nil without TLS.
    let context: NIOLoopBoundBox<TLSContext>?

    var responder: Responder { http.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP.Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let context { try pipeline.addHandler(TLSHandler(context.value)) }
            try pipeline.addHandler(StreamLane())
        }.flatMap { http.setup(channel: channel, logger: logger) }
    }

    func handle(value: HTTP.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
