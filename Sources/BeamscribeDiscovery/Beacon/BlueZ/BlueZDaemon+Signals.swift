/// What bluetoothd, and the bus of it, tell without being asked.
extension BlueZDaemon {
    func subscribe(to bus: MessageBus) throws(BusError) {
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

    func tellOfDevice(
        _ interfaces: [String: BusValue], _ event: ([String: BusValue]) -> DeviceEvent
    ) {
        guard interests.devices, let properties = interfaces[BlueZNames.device]?.named else {
            return
        }
        observer?.deviceTells(event(properties))
    }
}
