public import BeamscribeCore
public import BeamscribeIO

/// A NATS server with JetStream, or a cluster of them.
///
/// libnats has threads of its own, and calls that wait for the server. Those that wait are made on a thread of
/// their own here, too (``NATSClient``), so that the loop never does.
///
/// Invariant: nothing is told before ``begin(_:)``, nor after ``close()``.
public final class NATSBackbone: Backbone {
    private var happened: ((BackboneEvent) -> Void)?
    public var isPaused = false {
        didSet { if !isPaused { giveReadings() } }
    }

    private let thread: LoopThread
    private let client: NATSClient
    private let answers: Mailbox<BackboneEvent>
    private let readings: BoundedMailbox<BackboneEvent>
    private var registrations: [Registration] = []
    /// What was taken out of the mailbox, and is to be given once it is wanted.
    private var taken: ArraySlice<BackboneEvent> = []
    private var isGiving = false
    private var isClosed = false

    /// Bytes of what is read that wait for the loop at most; the server waits then.
    private static let waitingBytes = 4_194_304

    /// A server that is to be looked for.
    public init(_ server: BackboneServer, on loop: EventLoop) throws(SystemError) {
        let (answers, readings) = (
            try Mailbox<BackboneEvent>(),
            try BoundedMailbox<BackboneEvent>(limit: Self.waitingBytes)
        )
        (self.answers, self.readings) = (answers, readings)
        let client = NATSClient(
            server, answers: { answers.send($0) }, readings: { readings.send($0, cost: $1) })
        self.client = client
        thread = try LoopThread()
        registrations.append(
            try answers.open(on: loop) { [weak self] in
                while let event = answers.takeFirst() { self?.happened?(event) }
            })
        registrations.append(try readings.open(on: loop) { [weak self] in self?.giveReadings() })
    }

    public func begin(_ happened: @escaping (BackboneEvent) -> Void) {
        self.happened = happened
        thread.perform { [client, thread] in client.begin(on: thread) }
    }

    deinit {
        close()
    }

    public func close() {
        guard !isClosed else { return }
        (isClosed, happened) = (true, nil)
        registrations.forEach { $0.cancel() }
        readings.close()
        thread.perform { [client, thread] in withExtendedLifetime(thread) { client.close() } }
    }

    public func ask(_ requests: [BackboneRequest]) {
        guard !requests.isEmpty else { return }
        thread.perform { [client] in requests.forEach(client.ask) }
    }

    private func giveReadings() {
        // Whoever is told may pause this, and go on with it.
        guard !isGiving else { return }
        isGiving = true
        defer { isGiving = false }
        while !isPaused {
            if taken.isEmpty { taken = readings.take()[...] }
            guard let event = taken.popFirst() else { return }
            happened?(event)
        }
    }
}
