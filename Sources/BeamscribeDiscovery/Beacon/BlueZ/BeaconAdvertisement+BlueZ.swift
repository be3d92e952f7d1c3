extension BeaconAdvertisement {
    /// It as the properties of an LEAdvertisement1.
    var properties: [String: BusValue] {
        var properties: [String: BusValue] = [
            "Type": .string(isConnectable ? "peripheral" : "broadcast"),
            "ServiceUUIDs": .strings([Self.serviceUUID]),
        ]
        if !name.isEmpty { properties["LocalName"] = .string(name) }
        properties["ManufacturerData"] = manufacturerData
        return properties
    }

    /// The payload under its company identifier, `a{qv}`; nil without a payload.
    private var manufacturerData: BusValue? {
        payload.map {
            .dictionary(
                [.uint16(BeaconPayload.companyID): .variant(.bytes($0.bytes))],
                key: "q", value: "v")
        }
    }

    /// The properties that turn it into `next`; nil where bluetoothd does not take the change: it
    /// asks for the kind, and for what there is at all, only when an advertisement is registered.
    func change(to next: BeaconAdvertisement) -> [String: BusValue]? {
        let isOfOneKind = isConnectable == next.isConnectable && name == next.name
        guard isOfOneKind, payload != nil, let data = next.manufacturerData else { return nil }
        return ["ManufacturerData": data]
    }
}
