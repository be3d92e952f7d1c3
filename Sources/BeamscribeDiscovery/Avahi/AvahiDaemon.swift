import BeamscribeIO
import CAvahi

/// The program's connection to avahi-daemon, which comes back by itself whenever the daemon, or
/// the D-Bus between, does.
///
/// Invariant: `client` is the one client there is; whatever was made with an earlier one was
/// dropped by the observer in ``Observer/daemonWasLost()`` before that was freed.
final class AvahiDaemon {
    /// Somebody who has things made with the client.
    protocol Observer: AnyObject {
        /// The daemon answers: make what is to be made with `client`.
        func daemonIsRunning(_ client: OpaquePointer)
        /// The host's name is being (re)claimed: what was announced must be announced anew.
        func daemonIsRegistering()
        /// The client is about to be freed: drop what was made with it.
        func daemonWasLost()
        /// The daemon cannot be had for now.
        func daemonIsUnavailable(_ reason: String)
    }

    weak var observer: (any Observer)?

    private let avahi: AvahiLoop
    private var client: OpaquePointer?
    private var retry: LoopTimer?
    private var isStarted = false

    init(on loop: EventLoop) {
        avahi = AvahiLoop(loop)
    }

    deinit {
        retry?.cancel()
        if let client { avahi_client_free(client) }
    }

    func start() {
        guard !isStarted else { return }
        isStarted = true
        connect()
    }

    func stop() {
        isStarted = false
        retry?.cancel()
        disconnect()
    }

    private func connect() {
        var code: Int32 = 0
        // The flag makes the client wait for a daemon that is not there yet, on a living bus.
        let flags = AvahiClientFlags(AVAHI_CLIENT_NO_FAIL.rawValue)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let made = avahi_client_new(
            avahi.poll, flags,
            { client, state, context in
                guard let client, let context else { return }
                Unmanaged<AvahiDaemon>.fromOpaque(context).takeUnretainedValue()
                    .changed(client, state)
            }, context, &code)
        client = made
        if made == nil {
            observer?.daemonIsUnavailable(Self.words(for: code))
            reconnect(after: Self.retryInterval)
        }
    }

    private func disconnect() {
        guard let client else { return }
        observer?.daemonWasLost()
        self.client = nil
        avahi_client_free(client)
    }

    private func reconnect(after delay: Duration) {
        retry?.cancel()
        retry = avahi.loop.schedule(after: delay) { [weak self] in
            guard let self, isStarted else { return }
            disconnect()
            connect()
        }
    }

    /// Called by libavahi, the first time before avahi_client_new has returned.
    private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
        self.client = client
        switch state {
        case AVAHI_CLIENT_S_RUNNING: observer?.daemonIsRunning(client)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            observer?.daemonIsRegistering()
        case AVAHI_CLIENT_CONNECTING:
            observer?.daemonIsUnavailable("the Avahi daemon is not running")
        case AVAHI_CLIENT_FAILURE:
            observer?.daemonIsUnavailable(Self.words(for: avahi_client_errno(client)))
            // The client must not be freed inside of its own callback.
            reconnect(after: .zero)
        default: break
        }
    }

    private static func words(for code: Int32) -> String {
        switch code {
        case Int32(AVAHI_ERR_NO_DAEMON), Int32(AVAHI_ERR_DISCONNECTED):
            "the Avahi daemon is not running"
        case Int32(AVAHI_ERR_DBUS_ERROR): "the system D-Bus does not answer"
        default: "Avahi: \(String(cString: avahi_strerror(code)))"
        }
    }

    /// A client fails at once while there is no bus, whatever its flags, so it is made anew.
    private static let retryInterval = Duration.seconds(2)
}
