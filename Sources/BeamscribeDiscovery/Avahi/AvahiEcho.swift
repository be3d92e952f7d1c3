import BeamscribeCore
import BeamscribeIO

/// Whether what this machine announces through Avahi can be found again on this machine.
public enum AvahiEcho {
    public struct Findings: Equatable, Sendable {
        /// Whether Avahi announced it.
        public var announcement: Announcement
        /// The names of the interfaces on which it was found.
        public var interfaces: Set<String>

        /// Something that was found, or not.
        public init(_ announcement: Announcement, interfaces: Set<String> = []) {
            self.announcement = announcement
            self.interfaces = interfaces
        }
    }

    /// What became of an announcement.
    public enum Announcement: Equatable, Sendable {
        case done
        /// Avahi had not said so in time.
        case pending
        /// Avahi does not want it, with the reason.
        case refused(String)
    }

    /// Announces a service of a type that nobody else looks for, and looks for it, until it was
    /// found on all of `interfaces` or `patience` has passed. Blocks meanwhile.
    ///
    /// The daemon hears its own multicast as the kernel gives it back: this shows on which interfaces
    /// it works, and nothing of what other machines hear.
    public static func listen(on interfaces: Set<String>, patience: Duration) -> Findings {
        guard let loop = try? EventLoop() else { return Findings(.pending) }
        var findings = Findings(.pending)
        var seed = SystemRandomNumberGenerator()
        let name = "beamscribe doctor \(String(seed.next(), radix: 36))"
        let advertisement = Advertisement(name: name, type: type, port: 9, txt: TXTRecord())
        let advertiser = AvahiAdvertiser(advertisement, on: loop)
        let browser = AvahiBrowser(type: type, on: loop)
        let check = {
            guard findings.announcement == .done, findings.interfaces.isSuperset(of: interfaces)
            else { return }
            // What it is found on besides is of interest too, and comes at once if it comes.
            loop.schedule(after: Limits.echoLinger) { loop.stop() }
        }
        advertiser.handler = { event in
            switch event {
            case .registered: findings.announcement = .done
            case .unavailable(let reason):
                findings.announcement = .refused(reason)
                loop.stop()
            }
            check()
        }
        browser.handler = { event in
            guard case .changed(let instances) = event else { return }
            let own = instances.filter { $0.name == name }
            findings.interfaces = Set(own.flatMap(\.addresses).map(\.interface))
            check()
        }
        advertiser.start()
        browser.start()
        loop.schedule(after: patience) { loop.stop() }
        loop.run()
        browser.stop()
        advertiser.stop()
        return findings
    }

    private static let type = "_bs-doctor._tcp"
}
