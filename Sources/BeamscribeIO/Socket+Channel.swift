import BeamscribeCore
internal import CLinux
internal import Glibc

/// L2CAP connection-oriented channels over Bluetooth Low Energy (Bluetooth Core Specification,
/// Vol 3, Part A, section 10.2), as Linux has them: packets, kept whole and in order, with credits
/// that hold back a sender whose receiver does not read.
extension Socket {
    static func connecting(to endpoint: ChannelEndpoint) throws(SystemError) -> Descriptor {
        let made = try channelSocket(for: "\(endpoint)")
        // Any adapter of this machine, under its own address.
        let local = ChannelAddress.any
        try system("use Bluetooth for", "\(endpoint)") {
            local.withSocketAddress { bind(made.number, $0, $1) }
        }
        let remote = ChannelAddress(endpoint)
        try system("connect to", "\(endpoint)", tolerating: EINPROGRESS) {
            remote.withSocketAddress { connect(made.number, $0, $1) }
        }
        return made
    }

    /// A channel's socket that is not yet bound.
    static func channelSocket(for subject: String) throws(SystemError) -> Descriptor {
        let made = try Descriptor.socket(
            "make a Bluetooth socket for", subject, AF_BLUETOOTH, SOCK_SEQPACKET, BTPROTO_L2CAP)
        // What waits in the kernel cannot be superseded any more, and the air is slow.
        made.set(SOL_SOCKET, SO_SNDBUF, Int32(16_384))
        made.set(SOL_BLUETOOTH, BT_RCVMTU, UInt16(2_048))
        return made
    }

    /// The largest packet that a connected channel's other side takes, in bytes.
    static func packetBytes(of number: Int32) -> Int {
        var bytes = UInt16(0)
        var length = socklen_t(clamping: MemoryLayout<UInt16>.size)
        let code = getsockopt(number, SOL_BLUETOOTH, BT_SNDMTU, &bytes, &length)
        // The least that a channel has to take (section 4.22 of the above).
        return code == 0 && bytes > 0 ? Int(bytes) : 23
    }
}
