/// How often guests came and went within ``Timing/unstableWithin``, together and by device.
///
/// Invariant: `total` is at least the sum of the devices' counts; of at most
/// ``Limits/rememberedDevices`` devices it is remembered which.
struct UnstableCounts {
    private(set) var total = 0
    private var byDevice: [String: Int] = [:]

    /// A guest came and went.
    mutating func count(_ device: String) {
        total += 1
        guard byDevice.count < Limits.rememberedDevices || byDevice[device] != nil else { return }
        byDevice[device, default: 0] += 1
    }

    /// How often this one did.
    subscript(device: String) -> Int { byDevice[device] ?? 0 }
}
