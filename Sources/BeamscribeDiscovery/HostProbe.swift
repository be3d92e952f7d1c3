internal import BeamscribeCore
internal import BeamscribeIO

/// One look whether a host's port answers, or else that of one who holds its event. They are asked once
/// the host has failed, or is silent for a while.
///
/// Invariant: `told` is called with one finding that is the last, and with none after it; the host
/// counts wherever it answers in time.
final class HostProbe {
    /// What was found out.
    struct Finding: Equatable {
        /// Nil while that is open.
        var reachability: DiscoveredHost.Reachability?
        /// Whether it is known that the host does not answer, or not soon.
        var isHostSilent: Bool
        var isLast = true
    }

    /// Whether the host itself may still answer.
    private(set) var awaitsHost: Bool

    private let host: DiscoveredHost
    private let network: any Network
    private let told: (Finding) -> Void
    private var dialer: Dialer?
    private var holderDialer: Dialer?
    @OwnedTimer private var patience: LoopTimer?
    /// Why the host does not answer.
    private var why: String?
    /// Whether a holder answers; nil while that is open.
    private var isHeld: Bool?

    init(
        of host: DiscoveredHost, over network: any Network, _ told: @escaping (Finding) -> Void
    ) {
        self.host = host
        self.network = network
        self.told = told
        awaitsHost = !host.isHeldOnly
        if awaitsHost { askHost() } else { askHolders() }
    }

    private func askHost() {
        dialer = Dialer(
            host.endpoints.map { .network($0) }, timeout: Limits.probeTimeout, over: network,
            connected: { [unowned self] _, _ in hostAnswered() },
            failed: { [unowned self] in hostFailed($0.why) })
        guard !host.holders.isEmpty else { return }
        patience = network.loop.schedule(after: Limits.holderPatience) { [unowned self] in
            askHolders()
        }
    }

    private func hostAnswered() {
        awaitsHost = false
        (patience, holderDialer) = (nil, nil)
        told(Finding(reachability: .reachable, isHostSilent: false))
    }

    private func hostFailed(_ why: String) {
        // A device that is in reach by Bluetooth needs no network.
        guard host.channels.isEmpty else { return hostAnswered() }
        awaitsHost = false
        self.why = why
        if host.holders.isEmpty { isHeld = false }
        guard isHeld == nil else { return tellLast() }
        askHolders()
        told(Finding(isHostSilent: true, isLast: false))
    }

    private func askHolders() {
        patience = nil
        guard holderDialer == nil else { return }
        holderDialer = Dialer(
            host.holders.map { .network($0) }, timeout: Limits.probeTimeout, over: network,
            connected: { [unowned self] _, _ in holdersAnswered(true) },
            failed: { [unowned self] in
                why = why ?? (awaitsHost ? nil : $0.why)
                holdersAnswered(false)
            })
    }

    private func holdersAnswered(_ isHeld: Bool) {
        self.isHeld = isHeld
        guard awaitsHost else { return tellLast() }
        guard isHeld else { return }
        told(Finding(reachability: .reachable, isHostSilent: true, isLast: false))
    }

    private func tellLast() {
        let isHeld = isHeld == true
        let isHostSilent = !host.isHeldOnly && isHeld
        told(
            Finding(
                reachability: isHeld ? .reachable : .unreachable(why ?? "it does not answer"),
                isHostSilent: isHostSilent))
    }
}
