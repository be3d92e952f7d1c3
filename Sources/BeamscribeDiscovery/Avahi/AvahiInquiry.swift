import BeamscribeCore
import BeamscribeIO
import CAvahi

/// How things stand with the Avahi daemon.
public struct AvahiCondition: Equatable, Sendable {
    /// What the daemon does.
    public var state: State
    /// The daemon's version, for example `avahi 0.8`, while it answers.
    public var version: String?
    /// The name that it gives this machine, for example `stage.local`, while it answers.
    public var hostName: String?

    /// What the daemon does (avahi-common/defs.h: AvahiServerState).
    public enum State: Equatable, Sendable {
        /// It announces and finds services.
        case running
        /// It still claims the machine's name.
        case registering
        /// Another machine has the name that it wants.
        case collision
        /// It is not there.
        case notRunning
        /// It, or the D-Bus between, gives this reason.
        case failed(String)
    }

    /// A condition.
    public init(_ state: State, version: String? = nil, hostName: String? = nil) {
        self.state = state
        self.version = version
        self.hostName = hostName
    }
}

/// Asks the Avahi daemon how it is.
public final class AvahiInquiry {
    private let avahi: AvahiLoop
    private var client: OpaquePointer?
    private var condition: AvahiCondition?

    private init(on loop: EventLoop) {
        avahi = AvahiLoop(loop)
    }

    deinit {
        if let client { avahi_client_free(client) }
    }

    /// The daemon's condition. Blocks for `patience` while the daemon starts, and for much longer
    /// where it, or D-Bus, takes a question and gives no answer: libavahi waits for that.
    public static func ask(patience: Duration) -> AvahiCondition {
        do throws(SystemError) {
            let inquiry = AvahiInquiry(on: try EventLoop())
            return inquiry.run(patience)
        } catch {
            return AvahiCondition(.failed("\(error)"))
        }
    }

    private func run(_ patience: Duration) -> AvahiCondition {
        var code: Int32 = 0
        let flags = AvahiClientFlags(AVAHI_CLIENT_NO_FAIL.rawValue)
        let context = Unmanaged.passUnretained(self).toOpaque()
        client = avahi_client_new(
            avahi.poll, flags,
            { client, state, context in
                guard let client, let context else { return }
                Unmanaged<AvahiInquiry>.fromOpaque(context).takeUnretainedValue()
                    .changed(client, state)
            }, context, &code)
        guard client != nil else {
            return AvahiCondition(.failed(String(cString: avahi_strerror(code))))
        }
        avahi.loop.schedule(after: patience) { [unowned self] in avahi.loop.stop() }
        if condition?.isFinal != true { avahi.loop.run() }
        return condition ?? AvahiCondition(.notRunning)
    }

    /// Called by libavahi, the first time before avahi_client_new has returned.
    private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING: condition = described(.running, client)
        case AVAHI_CLIENT_S_REGISTERING: condition = described(.registering, client)
        case AVAHI_CLIENT_S_COLLISION: condition = described(.collision, client)
        case AVAHI_CLIENT_FAILURE:
            let reason = String(cString: avahi_strerror(avahi_client_errno(client)))
            condition = AvahiCondition(.failed(reason))
        default:
            condition = AvahiCondition(.notRunning)
            // D-Bus may be about to start it.
            avahi.loop.schedule(after: Self.timeToAppear) { [unowned self] in
                if condition?.state == .notRunning { avahi.loop.stop() }
            }
        }
        if condition?.isFinal == true { avahi.loop.stop() }
    }

    private func described(
        _ state: AvahiCondition.State, _ client: OpaquePointer
    ) -> AvahiCondition {
        AvahiCondition(
            state, version: avahi_client_get_version_string(client).map { String(cString: $0) },
            hostName: avahi_client_get_host_name_fqdn(client).map { String(cString: $0) })
    }

    private static let timeToAppear = Duration.milliseconds(300)
}

extension AvahiCondition {
    /// Whether waiting would not change it.
    fileprivate var isFinal: Bool {
        switch state {
        case .running, .failed: true
        case .registering, .collision, .notRunning: false
        }
    }
}
