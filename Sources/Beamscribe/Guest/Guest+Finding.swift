import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// Finding the host again, and a better way to it.
extension Guest {
    func connect() {
        link.connect(
            to: whereabouts.endpoints,
            or: configuration.usesBluetooth ? whereabouts.channels : [])
    }

    /// A host that was given by its address is looked for once it is lost: it may be back at
    /// another one, and its session tells it from all others.
    func lookAgain() {
        moving?.cancel()
        guard outcome == nil, isFindable else { return }
        guard let finder else { return look(listening: true) }
        finder.listen()
        finder.refresh()
    }

    private func look(listening isListening: Bool) {
        let loop = thread.loop
        let scanner =
            configuration.usesBluetooth
            ? BlueZScanner(busAddress: configuration.bluetoothBus, on: loop) : nil
        let finder = HostFinder(
            AvahiBrowser(type: DiscoveredHost.serviceType, on: loop), scanner, probesHosts: false,
            on: loop)
        finder.changed = { [unowned self] in takeDiscoveries() }
        self.finder = finder
        finder.start(listening: isListening)
    }

    private var isFindable: Bool {
        if case .host = configuration.target { return true }
        return session.position != nil
    }

    /// There is a connection. If it is a channel, a network may still turn up.
    func stopLooking() {
        moving?.cancel()
        guard link.transport == .bluetooth else {
            finder?.stop()
            finder = nil
            return
        }
        if let finder { finder.listenNoMore() } else { look(listening: false) }
        moveLater()
    }

    /// The machine may have come into the host's network. Where nothing else gets through there,
    /// the host's beacon says so; it is listened for only for a while, for the air is in use.
    func addressesChanged() {
        perform(session.prospectsChanged(now: Clock.now))
        guard link.transport == .bluetooth else { return }
        moveToNetwork()
        finder?.listen()
        listening?.cancel()
        listening = thread.loop.schedule(after: Limits.beaconListening) { [unowned self] in
            if link.transport == .bluetooth { finder?.listenNoMore() }
        }
    }

    private func moveLater() {
        moving = thread.loop.schedule(after: Limits.moveInterval) { [unowned self] in
            moveToNetwork()
            moveLater()
        }
    }

    /// Leaves a channel for the network as soon as that leads to the host.
    func moveToNetwork() {
        guard session.isConnected else { return }
        link.move(to: whereabouts.endpoints)
    }

    private func takeDiscoveries() {
        tellBluetoothTrouble()
        // Anybody can announce the host's session: all who do are tried.
        let hosts = finder?.hosts.filter(isOurs) ?? []
        guard !hosts.isEmpty else { return }
        let fresh = whereabouts.take(hosts)
        guard !fresh.isEmpty else { return }
        fresh.forEach { link.add($0) }
        perform(session.prospectsChanged(now: Clock.now))
        moveToNetwork()
    }

    private func tellBluetoothTrouble() {
        let trouble = finder?.bluetoothTrouble
        guard trouble != bluetoothTrouble else { return }
        bluetoothTrouble = trouble
        if let trouble { tell([.trouble("no beacon can be heard: \(trouble)")]) }
    }

    /// The host that was here before: by its session, or by its name while it had not told that.
    private func isOurs(_ host: DiscoveredHost) -> Bool {
        if let session = session.position?.session { return host.mayHave(session: session) }
        guard case .host(let wanted) = configuration.target else { return false }
        if let session = wanted.session { return host.mayHave(session: session) }
        if let tag = wanted.sessionTag { return host.sessionTag == tag }
        return host.instanceName == wanted.instanceName
    }
}

extension DiscoveredHost {
    /// Whether it has this session; one that was only heard tells no more than a tag of it, and
    /// the handshake does the rest.
    fileprivate func mayHave(session wanted: String) -> Bool {
        session.map { $0 == wanted } ?? (sessionTag == BeaconPayload.sessionTag(of: wanted))
    }
}
