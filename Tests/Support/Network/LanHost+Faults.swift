extension LanHost {
    /// Takes the host off the network until ``heal()``.
    public func cut(_ cut: LanCut) async throws {
        if case .silent = cut {
            try await changeFaults { faults, index in faults.silent.insert(index) }
        } else {
            try await setCarrier(false)
        }
        if case .withAddresses = cut {
            try await namespaces.run("ip", "addr", "flush", "dev", "eth0")
        }
    }

    /// Undoes every fault of this host but ``Lan/partition(_:)``. As after a real outage, what the
    /// host tried meanwhile may spoil the next second: ARP that gave up says "no route to host".
    public func heal() async throws {
        try await changeFaults { faults, index in faults.heal(index) }
        try await setCarrier(true)
        try await namespaces.ip(addressCommands)
    }

    /// Drops multicast DNS both ways; all else passes.
    public func blockMulticastDNS() async throws {
        try await changeFaults { $0.blocked[$1, default: []].insert("udp 5353") }
    }

    /// Drops frames from and to TCP `port` both ways without a word, as a firewall does.
    public func block(tcpPort port: Int) async throws {
        try await changeFaults { $0.blocked[$1, default: []].insert("tcp \(port)") }
    }

    /// The same of a UDP port.
    public func block(udpPort port: Int) async throws {
        try await changeFaults { $0.blocked[$1, default: []].insert("udp \(port)") }
    }

    /// Lets nobody begin a TCP connection to this host without a word; it may begin some itself.
    public func closeToOthers() async throws {
        try await changeFaults { $0.closed.insert($1) }
    }

    /// Loses a part of the frames, each way; 0 ends that.
    public func loss(percent: Int) async throws {
        try await changeFaults { $0.loss[$1] = percent > 0 ? percent : nil }
    }

    /// Makes every frame take that much longer, each way, until the network goes.
    public func delay(milliseconds: Int) async throws {
        try await segment.delay(index, milliseconds: milliseconds)
        try await waitForLink(true)
    }

    /// Ends this host's TCP connections from or to `port` with a reset, now.
    public func reset(port: Int) async throws {
        let filter = "( sport = :\(port) or dport = :\(port) )"
        try await namespaces.run("ss", "-K", "-t", "state", "connected", filter)
    }

    /// The power fails: no connection is closed and nobody says goodbye. ``boot(avahi:)`` undoes
    /// it.
    public func crash() async throws {
        try await setCarrier(false)
        namespaces.killResidents()
    }

    /// The host comes back from ``crash()``.
    public func boot(avahi: Bool) async throws {
        try await heal()
        guard avahi else { return }
        try await startBus()
        try await startAvahi()
        try await waitForAvahi()
    }

    private func setCarrier(_ isOn: Bool) async throws {
        try await segment.setCarrier(index, isOn)
        try await waitForLink(isOn)
    }

    /// The kernel may take up to a second to act on a carrier that came or went.
    func waitForLink(_ isOn: Bool) async throws {
        let what = "eth0 of \(name) to be \(isOn ? "up" : "down")"
        try await eventually(what, every: .milliseconds(5)) {
            let link = try await self.run("ip", "-br", "link", "show", "eth0")
            let isUp = link.split(separator: " ").dropFirst().first == "UP"
            let isForwarding = try await self.segment.isForwarding(self.index)
            return isUp == isOn && isForwarding == isOn
        }
    }

    private func changeFaults(
        _ change: @escaping @Sendable (inout LanFaults, Int) -> Void
    ) async throws {
        let index = self.index
        try await segment.change { change(&$0, index) }
    }
}
