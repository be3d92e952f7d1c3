import BeamscribeCore

/// Sends one datagram to multicast groups on every interface that can carry it.
public enum MulticastSender {
    /// Sends `packet` to `groups`, from each group's own port, on each of `interfaces`, where its
    /// family leaves there.
    public static func send(_ packet: [UInt8], to groups: [Endpoint], on interfaces: [UInt32]) {
        for index in interfaces {
            for group in groups { try? MulticastSocket(group: group, on: index).send(packet) }
        }
    }
}
