internal import BeamscribeCore
internal import Glibc

/// Whether multicast leaves by an interface and is heard again on this machine.
public enum MulticastProbe {
    public enum Outcome: Equatable, Sendable {
        /// It was heard by another socket of this machine.
        case cameBack
        /// It was sent and never heard.
        case lost
        /// It could not be sent, or nobody may listen.
        case failed(SystemError)
    }

    /// Sends `packet` to a group on one interface and waits for it at a second socket, which has
    /// joined the group there. Blocks for `patience` at most.
    ///
    /// What is heard is the copy that the kernel keeps for this machine (IP_MULTICAST_LOOP, ip(7)):
    /// it has passed the machine's own packet filter, but it tells nothing of what a switch or
    /// an access point does with the one that left.
    ///
    /// - Parameter packet: must be one that nobody else sends.
    public static func run(
        _ packet: [UInt8], to group: Endpoint, on index: UInt32, patience: Duration
    ) -> Outcome {
        do throws(SystemError) {
            let receiver = try MulticastSocket(group: group, on: index)
            try receiver.join()
            let sender = try MulticastSocket(group: group, on: index)
            let deadline = Clock.uptime + patience
            // Twice: a full receive buffer loses one, on a LAN that talks a lot.
            for end in [deadline - patience / 2, deadline] {
                try sender.send(packet)
                if isHeard(packet, by: receiver, until: end) { return .cameBack }
            }
            return .lost
        } catch {
            return .failed(error)
        }
    }

    private static func isHeard(
        _ packet: [UInt8], by receiver: MulticastSocket, until deadline: Duration
    ) -> Bool {
        while true {
            while let received = receiver.receive() {
                if received == packet { return true }
            }
            let left = deadline - Clock.uptime
            guard left > .zero else { return false }
            var waiting = pollfd(fd: receiver.number, events: Int16(clamping: POLLIN), revents: 0)
            poll(&waiting, 1, Int32(saturating: left.seconds * 1_000 + 1))
        }
    }
}
