import Hummingbird
import NIOCore

/// What is known of a request beside what it says: where it comes from.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    var peer: SocketAddress? { channel.remoteAddress }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Whether it comes from this machine.
    var isLocal: Bool {
        guard let address = peer?.ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
