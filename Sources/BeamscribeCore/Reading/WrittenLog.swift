/// One of an event's logs that is written here, as it introduces itself to others.
struct WrittenLog {
    let log: EventLog
    /// What it is, by its own record; nil for one that is not signed, which nobody would take from here.
    let title: LogTitle?
    /// The record as a packet; empty without a title.
    let record: [UInt8]
    /// The event of which it is one; empty without a title.
    let event: String

    init(_ log: EventLog, proving crypto: any LogCrypto) {
        self.log = log
        let packet = Array((log.record ?? []).dropFirst(FrameDecoder.prefixLength))
        guard case .log(let record)? = packet.withUnsafeBytes({ try? PacketDecoder().packet($0) }),
            let verifier = crypto.verifier(of: Array(record.key))
        else {
            (title, self.record, event) = (nil, [], "")
            return
        }
        title = LogTitle(record, by: verifier.writer)
        (self.record, event) = (packet, record.event)
    }

    var session: String { log.session.wireName }
}
