import BeamscribeCore

/// The adapters, as bluetoothd's objects and their changes tell of them.
///
/// Invariant: there are at most ``Limits/bluetoothAdapters``, each with an Adapter1 interface.
struct AdapterTable: Equatable {
    private var byPath: [String: BlueZAdapter] = [:]

    /// By path.
    var adapters: [BlueZAdapter] {
        byPath.values.sorted { $0.path < $1.path }
    }

    /// An object has these interfaces now, perhaps besides others.
    mutating func added(_ path: String, _ interfaces: [String: BusValue]) {
        if let adapter = interfaces[BlueZNames.adapter]?.named {
            guard byPath[path] != nil || byPath.count < Limits.bluetoothAdapters else { return }
            byPath[path] = byPath[path] ?? BlueZAdapter(path: path)
            changed(path, BlueZNames.adapter, adapter)
        }
        if let manager = interfaces[BlueZNames.advertisingManager]?.named {
            byPath[path]?.canAdvertise = true
            changed(path, BlueZNames.advertisingManager, manager)
        }
    }

    /// An object has these interfaces no longer.
    mutating func removed(_ path: String, _ interfaces: [String]) {
        if interfaces.contains(BlueZNames.adapter) { byPath[path] = nil }
        if interfaces.contains(BlueZNames.advertisingManager) {
            byPath[path]?.canAdvertise = false
            byPath[path]?.freeSlots = nil
        }
    }

    /// Some properties of an interface of an object are now these.
    mutating func changed(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
        switch interface {
        case BlueZNames.adapter:
            if case .boolean(let isPowered)? = properties["Powered"] {
                byPath[path]?.isPowered = isPowered
            }
            if case .boolean(let isDiscovering)? = properties["Discovering"] {
                byPath[path]?.isDiscovering = isDiscovering
            }
        case BlueZNames.advertisingManager:
            // What is taken is not counted in it.
            if case .byte(let free)? = properties["SupportedInstances"] {
                byPath[path]?.freeSlots = Int(free)
            }
        default: break
        }
    }
}

extension [BlueZAdapter] {
    /// Why none of them is of use, if none is.
    var trouble: BluetoothTrouble? {
        if isEmpty { return .noAdapter }
        return contains(where: \.isPowered) ? nil : .poweredOff(adapters: map(\.name))
    }
}
