/// How things stand with bluetoothd.
enum BlueZCondition: Equatable {
    /// Nobody has said yet.
    case asking
    /// Nothing can be done with it, for this reason.
    case unavailable(BluetoothTrouble)
    /// It answers and has these adapters, which may be none, or switched off.
    case running([BlueZAdapter])

    /// The adapters that can be used.
    var poweredAdapters: [BlueZAdapter] {
        if case .running(let adapters) = self { adapters.filter(\.isPowered) } else { [] }
    }

    /// Why no adapter can be used; nil when one can, and while nobody has said.
    var trouble: BluetoothTrouble? {
        switch self {
        case .asking: nil
        case .unavailable(let trouble): trouble
        case .running(let adapters): adapters.trouble
        }
    }
}
