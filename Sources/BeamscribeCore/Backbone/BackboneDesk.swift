/// Serves one guest of this machine from a server that keeps its event, as who holds that does: by the wire, of
/// which the guest's side is none the wiser.
///
///     GuestSession ---- handshake, read, keep_alive ----> BackboneDesk ---- BackboneRequest ----> server
///     GuestSession <---- response, frames -------------- BackboneReader <---- BackboneEvent ----- server
///
/// Invariant: nothing but the answer to its handshake is said before that.
public final class BackboneDesk {
    private let reader: BackboneReader
    private let name: String
    private let timing: Timing
    private var decoder = FrameDecoder(takesEndMark: false)
    private var output = ByteQueue()
    private var phase = Phase.waiting
    private var nextKeepAlive: Duration
    private var hasBegun = false
    /// The guest's clock as it last said it, and ours then.
    private var heard: (theirs: Double, receivedAt: Double)?
    private let encoder = FrameEncoder()
    private let packets = PacketDecoder()

    private enum Phase {
        /// For the guest's handshake.
        case waiting
        /// For what the server has of the event.
        case asked(Handshake, at: Moment)
        case serving
        case closed
    }

    /// - Parameters:
    ///   - reader: reads the event from the server, for nobody else meanwhile.
    ///   - name: the server, for people.
    public init(reading reader: BackboneReader, called name: String, _ timing: Timing, now: Moment)
    {
        (self.reader, self.name, self.timing) = (reader, name, timing)
        nextKeepAlive = now.uptime
    }

    /// Whether there is nothing more to be had.
    public var isClosed: Bool { if case .closed = phase { output.isEmpty } else { false } }

    /// What waits to be taken.
    public var waitingBytes: Int { isBegun ? output.count + reader.waitingBytes : 0 }

    /// Whether the guest is to be told anything. That it is let in it is told together with which lines follow: it
    /// would take itself for one who has all.
    private var isBegun: Bool {
        if case .serving = phase, !hasBegun { reader.isMainAnnounced } else { true }
    }

    /// The guest takes up to `limit` bytes.
    public func take(_ limit: Int) -> [UInt8] {
        guard isBegun else { return [] }
        if case .serving = phase { hasBegun = true }
        if output.count < limit { output.append(reader.takeOutput()) }
        let bytes = Array(output.pending().prefix(limit))
        output.removeFirst(bytes.count)
        return bytes
    }

    /// The guest says something.
    public func received(_ bytes: UnsafeRawBufferPointer, now: Moment) -> [BackboneRequest] {
        var requests: [BackboneRequest] = []
        do throws(FrameError) {
            try decoder.decode(bytes) { payload in
                if let packet = try? packets.packet(payload) { requests += take(packet, now: now) }
                return true
            }
        } catch {
            phase = .closed
        }
        return requests
    }

    private func take(_ packet: Packet, now: Moment) -> [BackboneRequest] {
        switch (packet, phase) {
        case (.handshake(let handshake), .waiting):
            phase = .asked(handshake, at: now)
            return answer(now: now)
        case (.read(let request), .serving): return reader.read(request, now: now.uptime)
        case (.unread(let mention), .serving): return reader.unread(mention)
        case (.keepAlive(let keepAlive), .serving): heard = (keepAlive.timestamp, now.wall)
        default: break
        }
        return []
    }

    private func queue(_ packet: Packet) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        if let frame = try? encoder.frame(packet) { output.append(frame) }
    }

    /// Lets the guest in, once it is known what to.
    private func answer(now: Moment) -> [BackboneRequest] {
        guard case .asked(let handshake, let asked) = phase, let main = reader.main else {
            return []
        }
        let resume = handshake.resume.flatMap {
            $0.session.lowercased() == main.record.session ? $0 : nil
        }
        let after = resume.map { main.runs.valid(through: $0.after, of: $0.run) } ?? 0
        var response = HandshakeResponse(status: .accepted)
        response.protocol = Handshake.currentProtocol
        (response.session, response.runs) = (main.record.session, main.runs.after)
        (response.firstSeq, response.lastSeq) = (1, main.head.seq)
        (response.eventName, response.deviceName) = (main.record.eventName, name)
        response.keepAliveInterval = timing.keepAliveInterval.seconds
        (response.timestamp, response.logs) = (now.wall, Handshake.currentLogs)
        (response.echo, response.received) = (handshake.timestamp, asked.wall)
        queue(.handshakeResponse(response))
        phase = .serving
        nextKeepAlive = now.uptime + timing.keepAliveInterval
        reader.begin()
        return reader.read(
            ReadRequest(main.record.session, after: after, run: main.runs.current),
            now: now.uptime)
    }

    /// Something came from the server, or time has passed. While the server is away nothing is said, so that the
    /// guest looks elsewhere.
    public func tick(now: Moment) -> [BackboneRequest] {
        let requests = answer(now: now)
        guard case .serving = phase, reader.isReachable, nextKeepAlive <= now.uptime else {
            return requests
        }
        nextKeepAlive = now.uptime + timing.keepAliveInterval
        var packet = KeepAlive(timestamp: now.wall)
        (packet.echo, packet.received) = (heard?.theirs, heard?.receivedAt)
        queue(.keepAlive(packet))
        return requests
    }

    /// The guest has gone.
    public func close() -> [BackboneRequest] {
        phase = .closed
        output = ByteQueue()
        return reader.end()
    }
}
