import BeamscribeCore
import BeamscribeIO
import CAvahi

/// A connection to avahi-daemon, which comes back by itself whenever the daemon, or the D-Bus
/// between, does. Lives on the Avahi thread.
///
/// Invariant: `client` is the one client there is; whatever was made with an earlier one was
/// forgotten by the observer in ``Observer/daemonWasLost()`` before that was freed.
final class AvahiDaemon {
    /// Somebody who has things made with the client. They are never to be freed by their own
    /// functions, each of which asks the daemon: they go with the client, whose end asks nobody.
    protocol Observer: AnyObject {
        /// The daemon answers: make what is to be made with `client`.
        func daemonIsRunning(_ client: OpaquePointer)
        /// The host's name is being (re)claimed, because another machine has it where it
        /// `collides`: what was announced must be announced anew.
        func daemonIsRegistering(_ client: OpaquePointer, collides: Bool)
        /// The client is about to be freed: forget what was made with it.
        func daemonWasLost()
        /// The daemon cannot be had for now.
        func daemonIsUnavailable(_ trouble: AvahiTrouble)
    }

    private weak var observer: (any Observer)?
    private let avahi: AvahiLoop
    private var client: OpaquePointer?
    @OwnedTimer private var retry: LoopTimer?

    init(on loop: EventLoop) {
        avahi = AvahiLoop(loop)
    }

    deinit {
        if let client { avahi_client_free(client) }
    }

    /// Connects, and tells `observer` from now on.
    func start(telling observer: any Observer) {
        self.observer = observer
        connect()
    }

    /// Makes another client, after a while: a call of this one came to nothing.
    func renew() {
        reconnect(after: Limits.avahiRetry)
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
        guard made == nil else { return client = made }
        // Where the callback was told of a client, libavahi has freed that.
        if client != nil { observer?.daemonWasLost() }
        client = nil
        observer?.daemonIsUnavailable(AvahiTrouble(code: code))
        reconnect(after: Limits.avahiRetry)
    }

    private func disconnect() {
        guard let client else { return }
        observer?.daemonWasLost()
        self.client = nil
        avahi_client_free(client)
    }

    private func reconnect(after delay: Duration) {
        retry = avahi.loop.schedule(after: delay) { [weak self] in
            self?.disconnect()
            self?.connect()
        }
    }

    /// Called by libavahi, the first time before avahi_client_new has returned.
    private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
        self.client = client
        switch state {
        case AVAHI_CLIENT_S_RUNNING: observer?.daemonIsRunning(client)
        case AVAHI_CLIENT_S_REGISTERING:
            observer?.daemonIsRegistering(client, collides: false)
        case AVAHI_CLIENT_S_COLLISION: observer?.daemonIsRegistering(client, collides: true)
        case AVAHI_CLIENT_CONNECTING: observer?.daemonIsUnavailable(.notRunning)
        case AVAHI_CLIENT_FAILURE:
            observer?.daemonIsUnavailable(AvahiTrouble(code: avahi_client_errno(client)))
            // The client must not be freed inside of its own callback.
            reconnect(after: .zero)
        default: break
        }
    }
}
