import BeamscribeIO

/// bluetoothd with its adapters, as seen over a bus connection that comes back by itself.
///
/// Invariant: `owner` is the unique name of the bluetoothd whose objects are in `table`; nobody
/// else's signals are heard, and no answer to a question that was put to an earlier one.
final class BlueZDaemon {
    weak var observer: (any BlueZObserver)?
    private(set) var condition = BlueZCondition.asking
    let timing: BlueZTiming

    private let interests: Interests
    private var table = AdapterTable()
    private var owner: String?
    private let link: BusLink
    private let loop: EventLoop
    private var retry: LoopTimer?
    private var generation = 0
    private var objects = 0

    /// What is asked of bluetoothd besides its adapters.
    struct Interests {
        /// What its devices do.
        var devices = false
        /// That it is started where it does not run, if the bus knows how.
        var start = true
    }

    init(at address: String, for interests: Interests, _ timing: BlueZTiming, on loop: EventLoop) {
        self.interests = interests
        self.timing = timing
        self.loop = loop
        link = BusLink(to: address, within: timing.callLimit, on: loop)
        link.connected = { [unowned self] bus throws(BusError) in
            try subscribe(to: bus)
            askForObjects(mayStart: interests.start)
        }
        link.lost = { [unowned self] error in
            forget()
            become(.unavailable(BluetoothTrouble(connecting: error)))
        }
    }

    deinit {
        link.stop()
    }

    /// Connects, and goes on trying.
    func start() {
        link.start()
    }

    func stop() {
        link.stop()
        forget()
        condition = .asking
    }

    // MARK: For those who do something there

    /// Calls a method of one of bluetoothd's objects. The answer never comes once that bluetoothd
    /// is gone.
    func call(
        _ method: String, of interface: String, at path: String, _ arguments: [BusValue] = [],
        _ answer: @escaping (Result<BusMessage, BusError>) -> Void
    ) {
        ask(
            BusCall(path: path, interface: interface, method: method, arguments: arguments), answer)
    }

    /// The same without an answer, for what is to be undone.
    func send(
        _ method: String, of interface: String, at path: String, _ arguments: [BusValue] = []
    ) {
        try? link.bus?.send(
            BusCall(path: path, interface: interface, method: method, arguments: arguments))
    }

    /// Makes an object that bluetoothd, and nobody else, can call. Nil without a bus.
    func export(
        _ answer: @escaping (BusMessage) -> [BusValue]?
    ) -> (path: String, slot: BusSlot)? {
        objects += 1
        let path = "/org/beamscribe/beacon\(objects)"
        let slot = try? link.bus?.export(at: path) { [unowned self] call in
            call.sender == owner ? answer(call) : nil
        }
        return slot.map { (path, $0) }
    }

    /// Tells bluetoothd that properties of an object that it knows are now these.
    func emitChange(of properties: [String: BusValue], _ interface: String, at path: String) {
        try? link.bus?.emit(
            "PropertiesChanged", of: BlueZNames.properties, at: path,
            [.string(interface), .properties(properties), .strings([])])
    }

    private func ask(_ call: BusCall, _ answer: @escaping (Result<BusMessage, BusError>) -> Void) {
        let asked = generation
        let current = { [weak self] (result: Result<BusMessage, BusError>) in
            if self?.generation == asked { answer(result) }
        }
        do throws(BusError) {
            try link.bus?.call(call, within: timing.callLimit, current)
        } catch {
            // Told later, as every answer is.
            loop.schedule(after: .zero) { current(.failure(error)) }
        }
    }

    // MARK: What is known

    private func askForObjects(mayStart: Bool = false) {
        let call = BusCall(
            path: "/", interface: BlueZNames.objectManager, method: "GetManagedObjects",
            mayStart: mayStart)
        ask(call) { [unowned self] result in
            switch result {
            case .success(let answer): learn(answer)
            case .failure(let error): fail(BluetoothTrouble(error))
            }
        }
    }

    private func learn(_ answer: BusMessage) {
        guard let objects = answer.values.first?.named else { return fail(.init(.unreadable)) }
        link.hold()
        owner = answer.sender
        for (path, object) in objects {
            guard let interfaces = object.named else { continue }
            table.added(path, interfaces)
            tellOfDevice(interfaces) { .remembered(path, $0) }
        }
        becomeRunning()
    }

    /// A daemon that is not there is heard when it comes; one that says no is asked again.
    private func fail(_ trouble: BluetoothTrouble) {
        if trouble != .noDaemon {
            retry = loop.schedule(after: timing.retryInterval) { [weak self] in
                self?.askForObjects()
            }
        }
        become(.unavailable(trouble))
    }

    /// Everything that was known of the daemon is void.
    private func forget() {
        generation += 1
        retry?.cancel()
        owner = nil
        table = AdapterTable()
    }

    private func becomeRunning() {
        // The observer, who was told of a device, may have stopped this.
        if owner != nil { become(.running(table.adapters)) }
    }

    private func become(_ next: BlueZCondition) {
        guard next != condition else { return }
        condition = next
        observer?.daemonHasChanged()
    }

    // MARK: What it tells, and the bus of it, without being asked

    private func subscribe(to bus: MessageBus) throws(BusError) {
        let owner = BlueZNames.rule(
            from: BlueZNames.bus, BlueZNames.bus, "NameOwnerChanged", first: BlueZNames.service)
        try bus.subscribe(owner) { [unowned self] in ownerChanged($0) }
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            let rule = BlueZNames.rule(BlueZNames.objectManager, member)
            try bus.subscribe(rule) { [unowned self] in objectsChanged($0) }
        }
        let changing = [BlueZNames.adapter, BlueZNames.advertisingManager]
        for interface in changing + (interests.devices ? [BlueZNames.device] : []) {
            let rule = BlueZNames.rule(
                BlueZNames.properties, "PropertiesChanged", first: interface)
            try bus.subscribe(rule) { [unowned self] in propertiesChanged($0) }
        }
    }

    /// One that comes is asked what it has; so is one that takes another's place.
    private func ownerChanged(_ signal: BusMessage) {
        guard signal.sender == BlueZNames.bus, signal.values.count == 3,
            let new = signal.values[2].text
        else { return }
        forget()
        if new.isEmpty { return become(.unavailable(.noDaemon)) }
        become(.asking)
        askForObjects()
    }

    private func objectsChanged(_ signal: BusMessage) {
        guard signal.sender == owner, signal.values.count == 2, let path = signal.values[0].text
        else { return }
        if let interfaces = signal.values[1].named {
            table.added(path, interfaces)
            tellOfDevice(interfaces) { .appeared(path, $0) }
        } else if let interfaces = signal.values[1].texts {
            table.removed(path, interfaces)
            if interfaces.contains(BlueZNames.device) { observer?.deviceTells(.vanished(path)) }
        }
        becomeRunning()
    }

    private func propertiesChanged(_ signal: BusMessage) {
        guard signal.sender == owner, signal.values.count == 3,
            let interface = signal.values[0].text, let properties = signal.values[1].named
        else { return }
        table.changed(signal.path, interface, properties)
        if interface == BlueZNames.device {
            observer?.deviceTells(.changed(signal.path, properties))
        }
        becomeRunning()
    }

    private func tellOfDevice(
        _ interfaces: [String: BusValue], _ event: ([String: BusValue]) -> DeviceEvent
    ) {
        guard interests.devices, let properties = interfaces[BlueZNames.device]?.named else {
            return
        }
        observer?.deviceTells(event(properties))
    }
}
