import BeamscribeCore
import BeamscribeIO
import CAvahi

/// How things stand with the Avahi daemon.
public struct AvahiCondition: Equatable, Sendable {
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
        case notRunning
        /// It, or the D-Bus between, gives this reason.
        case failed(String)
    }
}

/// Asks the Avahi daemon how it is. Lives on the Avahi thread.
public final class AvahiInquiry: AvahiDaemon.Observer {
    private let daemon: AvahiDaemon
    private let tell: (AvahiCondition) -> Void

    private init(on loop: EventLoop, telling tell: @escaping (AvahiCondition) -> Void) {
        self.tell = tell
        daemon = AvahiDaemon(on: loop)
        daemon.start(telling: self)
    }

    /// The daemon's condition; nil where it, or D-Bus, took the question and gave no answer. Blocks
    /// for `patience` at most, while the daemon starts or does not answer.
    public static func ask(patience: Duration) -> AvahiCondition? {
        guard let loop = try? EventLoop() else { return nil }
        var condition: AvahiCondition?
        let link = AvahiLink(on: loop) { AvahiInquiry(on: $0, telling: $1) }
        link.heard = { heard in
            condition = heard
            switch heard.state {
            case .running, .failed: loop.stop()
            case .registering, .collision: break
            case .notRunning:
                // D-Bus may be about to start it.
                loop.schedule(after: Limits.avahiAppearing) {
                    if condition?.state == .notRunning { loop.stop() }
                }
            }
        }
        link.failed = { error in
            condition = AvahiCondition(state: .failed("\(error)"))
            loop.stop()
        }
        link.open()
        loop.schedule(after: patience) { loop.stop() }
        loop.run()
        return condition
    }

    // MARK: On the Avahi thread

    func daemonIsRunning(_ client: OpaquePointer) {
        tell(described(.running, client))
    }

    func daemonIsRegistering(_ client: OpaquePointer, collides: Bool) {
        tell(described(collides ? .collision : .registering, client))
    }

    func daemonWasLost() {}

    func daemonIsUnavailable(_ trouble: AvahiTrouble) {
        tell(
            AvahiCondition(
                state: trouble == .notRunning ? .notRunning : .failed(trouble.reason)))
    }

    private func described(
        _ state: AvahiCondition.State, _ client: OpaquePointer
    ) -> AvahiCondition {
        AvahiCondition(
            state: state,
            version: avahi_client_get_version_string(client).map { String(cString: $0) },
            hostName: avahi_client_get_host_name_fqdn(client).map { String(cString: $0) })
    }
}
