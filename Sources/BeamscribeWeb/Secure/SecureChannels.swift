import BeamscribeTLS
import HummingbirdCore
import Logging
import NIOCore

/// Makes connections as `plain` does, with TLS below.
struct SecureChannels<Plain: HTTPChannelHandler>: HTTPChannelHandler {
    let plain: Plain
    let context: NIOLoopBoundBox<TLSContext>

    var responder: Responder { plain.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(context.value))
        }.flatMap { plain.setup(channel: channel, logger: logger) }
    }

    func handle(value: Plain.Value, logger: Logger) async {
        await plain.handle(value: value, logger: logger)
    }
}
