import BeamscribeCore
internal import CLinux
internal import Glibc

/// A channel's end as the system wants it (struct sockaddr_l2).
struct ChannelAddress {
    private var raw = sockaddr_l2()

    /// Every adapter of this machine; as PSM, one that the system chooses.
    static let any = ChannelAddress()

    private init() {
        raw.l2_family = sa_family_t(clamping: AF_BLUETOOTH)
        raw.l2_bdaddr_type = UInt8(clamping: BDADDR_LE_PUBLIC)
    }

    init(_ endpoint: ChannelEndpoint) {
        self.init()
        raw.l2_psm = endpoint.psm.littleEndian
        withUnsafeMutableBytes(of: &raw.l2_bdaddr) {
            $0.copyBytes(from: endpoint.device.bytes.reversed())
        }
        raw.l2_bdaddr_type = UInt8(
            clamping:
                endpoint.device.kind == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM)
    }

    /// The address in `storage`; nil if it is of another family.
    init?(_ storage: sockaddr_storage) {
        guard Int32(storage.ss_family) == AF_BLUETOOTH else { return nil }
        raw = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_l2.self) }
    }

    var endpoint: ChannelEndpoint? {
        let bytes = withUnsafeBytes(of: raw.l2_bdaddr) { Array($0.reversed()) }
        let kind: BluetoothAddress.Kind =
            Int32(raw.l2_bdaddr_type) == BDADDR_LE_RANDOM ? .random : .public
        return BluetoothAddress(bytes: bytes, kind: kind).map {
            ChannelEndpoint($0, psm: UInt16(littleEndian: raw.l2_psm))
        }
    }

    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withAddress(raw, body)
    }
}
