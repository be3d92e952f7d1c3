import BeamscribeCore
import BeamscribeIO

/// The devices that send beacons, and which of them are in the air.
///
/// Invariant: there are at most ``Limits/heardBeacons``, all with an address and the beacon's UUID.
/// One counts as in the air from when it was `heard` until `silence` has passed.
struct BeaconTable {
    private var devices: [String: Device] = [:]
    private let silence: Duration

    private struct Device: Equatable {
        var beacon: HeardBeacon
        /// Uptime; nil for a device that is only remembered.
        var heard: Duration?
        /// Since when it says what it says.
        var since: Duration?
    }

    init(silence: Duration) {
        self.silence = silence
    }

    /// The beacons in the air, by device, each as it was last heard.
    ///
    /// A host with something new to say has a new address for it, by which it is another device;
    /// what it said before by the old one counts no more.
    var beacons: [HeardBeacon] {
        let newest = newestOfSessions
        return byDevice.filter { beacon in
            beacon.payload.map { newest[$0.sessionTag]?.payload == $0 } ?? true
        }
    }

    private var byDevice: [HeardBeacon] {
        var byAddress: [BluetoothAddress: (beacon: HeardBeacon, heard: Duration)] = [:]
        for (path, device) in devices {
            guard let heard = device.heard else { continue }
            // Two adapters may hear one device; the beacon keeps the first one's path.
            let known = byAddress[device.beacon.device]
            let isNewer = known.map { $0.heard < heard } ?? true
            var beacon = known.map { isNewer ? device.beacon : $0.beacon } ?? device.beacon
            beacon.id = min(path, known?.beacon.id ?? path)
            byAddress[beacon.device] = (beacon, max(heard, known?.heard ?? heard))
        }
        return byAddress.values.map(\.beacon).sorted { $0.id < $1.id }
    }

    /// What was said last for each session in the air, and since when.
    private var newestOfSessions: [UInt16: (payload: BeaconPayload, since: Duration)] {
        var newest: [UInt16: (payload: BeaconPayload, since: Duration)] = [:]
        for device in devices.values where device.heard != nil {
            guard let since = device.since, let payload = device.beacon.payload,
                newest[payload.sessionTag].map({ $0.since < since }) ?? true
            else { continue }
            newest[payload.sessionTag] = (payload, since)
        }
        return newest
    }

    /// When the next one will have been silent for too long; nil if none is in the air.
    var nextSilence: Duration? {
        devices.values.compactMap(\.heard).min().map { $0 + silence }
    }

    /// A device that bluetoothd knows, for whatever reason: it may be far away by now.
    mutating func remember(_ path: String, _ report: DeviceReport) {
        if devices[path] == nil { add(path, report, heard: nil) }
    }

    /// A device that bluetoothd has just come to know: of the air, unless it is one that it keeps.
    mutating func appear(_ path: String, _ report: DeviceReport, at now: Duration) {
        add(path, report, heard: report.isHeard || !report.isPaired ? now : nil)
    }

    /// News of a device that is known here.
    mutating func change(_ path: String, _ report: DeviceReport, at now: Duration) {
        guard var device = devices[path] else { return }
        if report.hasUUID == false, device.beacon.payload?.channelPSM == nil { return remove(path) }
        if let name = report.name { device.beacon.name = name }
        if let payload = report.payload, payload != device.beacon.payload {
            device.beacon.payload = payload
            device.since = now
        }
        if report.isHeard {
            device.since = device.heard == nil ? now : device.since
            device.heard = now
        }
        devices[path] = device
    }

    /// A device that bluetoothd has forgotten.
    mutating func remove(_ path: String) {
        devices[path] = nil
    }

    /// Takes those out of the air that were silent for too long.
    mutating func expire(at now: Duration) {
        for (path, device) in devices {
            if let heard = device.heard, heard + silence <= now { devices[path]?.heard = nil }
        }
    }

    func knows(_ path: String) -> Bool {
        devices[path] != nil
    }

    private mutating func add(_ path: String, _ report: DeviceReport, heard: Duration?) {
        guard report.isBeacon, let address = report.device else { return }
        let beacon = HeardBeacon(
            id: path, device: address, name: report.name ?? "", payload: report.payload ?? nil)
        guard devices[path] != nil || makeRoom(forHeard: heard != nil) else { return }
        devices[path] = Device(beacon: beacon, heard: heard, since: heard)
    }

    /// Lets one go that is not in the air, for one that is.
    private mutating func makeRoom(forHeard isHeard: Bool) -> Bool {
        if devices.count < Limits.heardBeacons { return true }
        guard isHeard, let silent = devices.first(where: { $0.value.heard == nil }) else {
            return false
        }
        devices[silent.key] = nil
        return true
    }
}
