import FoundationEssentials

@testable import BeamscribeCore

/// A server of streams as JetStream is one: it takes a message if that is the next, loses what it had not written
/// when it is killed, sends again what a consumer has had, and forgets to answer.
final class ModelServer {
    private unowned let world: BackboneWorld
    private(set) var streams: [BackboneStream: [Message]] = [:]
    private(set) var isUp = true
    private var clients: [Client] = []
    private var consumers: [Consumer] = []
    /// Whether a consumer survives that the server is started again: it may send again, or nothing.
    var forgetsConsumers = false
    /// Whether it says that it makes streams, and then that there are none.
    var hidesStreams = false
    /// Changes what it says that a log's message is; nil for the truth.
    var lie: (([UInt8]) -> [UInt8])?
    /// Whether it does not say what it has stored.
    var hidesAcknowledgements = false
    /// How many requests have come.
    private(set) var requests = 0

    struct Message: Equatable {
        let subject: String
        let payload: [UInt8]
    }

    /// Who is connected.
    final class Client {
        let name: String
        var isConnected = false
        /// Whether it may only read.
        var isReader = false
        let take: (BackboneEvent) -> Void

        init(_ name: String, _ take: @escaping (BackboneEvent) -> Void) {
            (self.name, self.take) = (name, take)
        }
    }

    private final class Consumer {
        let client: Client
        let reading: Int
        let stream: BackboneStream?
        let matches: (String) -> Bool
        var next: Int
        /// Whether a message was lost on its way: the next one shows it.
        var hasLost = false

        init(
            _ client: Client, _ reading: Int, _ stream: BackboneStream?, next: Int,
            _ matches: @escaping (String) -> Bool
        ) {
            (self.client, self.reading, self.stream) = (client, reading, stream)
            (self.next, self.matches) = (next, matches)
        }
    }

    init(in world: BackboneWorld) { self.world = world }

    // MARK: Its life

    func connect(_ client: Client) {
        clients.append(client)
        guard isUp else { return }
        world.at(world.random(0.001...0.02)) { [self] in welcome(client) }
    }

    private func welcome(_ client: Client) {
        guard isUp, !client.isConnected else { return }
        client.isConnected = true
        client.take(.connected)
    }

    func leave(_ client: Client) {
        client.isConnected = false
        clients.removeAll { $0 === client }
        consumers.removeAll { $0.client === client }
    }

    /// It is killed: of each stream the last messages were not written.
    func kill(losing count: Int) {
        isUp = false
        for stream in streams.keys where stream != .events {
            streams[stream] = streams[stream]?.dropLast(count)
        }
        for consumer in consumers {
            guard let stream = consumer.stream, stream != .events else { continue }
            let repeated = world.number(0...42)
            consumer.next = max(0, min(consumer.next, streams[stream]?.count ?? 0) - repeated)
        }
        if forgetsConsumers { forgetConsumers() }
        for client in clients where client.isConnected {
            client.isConnected = false
            client.take(.disconnected(why: "killed"))
        }
    }

    func start() {
        isUp = true
        for client in clients { world.at(world.random(0.01...0.3)) { [self] in welcome(client) } }
        world.at(0.4) { [self] in deliver() }
    }

    /// Its disk is wiped under it.
    func wipe() {
        streams = [:]
        forgetConsumers()
    }

    /// Who reads notices it by the heartbeats that do not come.
    private func forgetConsumers() {
        let gone = consumers.filter { $0.stream != nil }
        consumers.removeAll { $0.stream != nil }
        world.at(4) { [self] in
            for consumer in gone {
                say(.broken(reading: consumer.reading, why: "no heartbeat"), to: consumer.client)
            }
        }
    }

    // MARK: What it is asked

    func ask(_ request: BackboneRequest, by client: Client) {
        guard client.isConnected else { return }
        let due = world.arrival(from: client.name, world.random(world.latency))
        world.at(time: due) { [self] in
            guard isUp, client.isConnected else { return }
            answer(request, client)
        }
    }

    private func say(_ event: BackboneEvent, to client: Client) {
        let due = world.arrival(from: "to " + client.name, world.random(world.latency))
        world.at(time: due) { [self] in if isUp, client.isConnected { client.take(event) } }
    }

    /// Sends a consumer a message, which may get lost. The number of the next one shows the loss
    /// if the message is a stream's.
    private func send(_ number: Int, _ message: Message, to consumer: Consumer) {
        if world.number(1...world.loses) == 1 {
            consumer.hasLost = consumer.stream != nil
        } else if consumer.hasLost {
            consumers.removeAll { $0 === consumer }
            say(.broken(reading: consumer.reading, why: "lost"), to: consumer.client)
        } else {
            say(
                .message(
                    reading: consumer.reading, subject: message.subject, number: number,
                    message.payload), to: consumer.client)
        }
    }

    private func answer(_ request: BackboneRequest, _ client: Client) {
        requests += 1
        switch request {
        case .make(let stream):
            guard !client.isReader else { return say(.failed(stream, why: "no right"), to: client) }
            if streams[stream] == nil { streams[stream] = [] }
            say(.made(stream), to: client)
        case .look(let stream):
            guard let messages = streams[stream], !hidesStreams else {
                return say(.missing(stream), to: client)
            }
            say(
                .found(stream, count: messages.count, newest: told(messages.last)), to: client)
        case .append(let stream, let number, let flight, let payload):
            guard !client.isReader, let messages = streams[stream], messages.count == number - 1
            else {
                let why = "wrong last sequence"
                return say(
                    .refused(stream, number: number, flight: flight, why: why), to: client)
            }
            streams[stream]?.append(Message(subject: stream.subject, payload: payload))
            guard !hidesAcknowledgements else { break }
            say(.stored(stream, number: number, flight: flight), to: client)
        case .add(let stream, let line, let flight, let payload):
            guard !client.isReader, streams[stream] != nil else {
                return say(
                    .refused(stream, number: line, flight: flight, why: "no stream"), to: client)
            }
            write(payload, into: stream)
            guard !hidesAcknowledgements else { break }
            say(
                .added(stream, line: line, at: streams[stream]?.count ?? 0, flight: flight),
                to: client)
        case .fetch(let stream, let number):
            guard let messages = streams[stream] else { return say(.missing(stream), to: client) }
            let isThere = messages.indices.contains(number - 1)
            say(
                .fetched(stream, number: number, told(isThere ? messages[number - 1] : nil)),
                to: client)
        case .say(let subject, let payload):
            guard !client.isReader else { return }
            if BackboneEntry(subject: subject) != nil, streams[.events] != nil {
                streams[.events]?.append(Message(subject: subject, payload: payload))
            } else {
                for consumer in consumers where consumer.stream == nil && consumer.matches(subject)
                {
                    send(0, Message(subject: subject, payload: payload), to: consumer)
                }
            }
        case .recall(let subject):
            let newest = streams[.events]?.last { $0.subject == subject }
            say(.recalled(subject, newest?.payload ?? []), to: client)
        case .read(let stream, let from, let reading):
            guard streams[stream] != nil else {
                return say(.broken(reading: reading, why: nil), to: client)
            }
            // Of what is there under another subject a reader hears nothing.
            consumers.append(
                Consumer(client, reading, stream, next: from - 1) { $0 == stream.subject })
        case .follow(let filter, let reading):
            follow(filter, reading, client)
        case .listen(let subject, let reading):
            consumers.append(Consumer(client, reading, nil, next: 0) { $0 == subject })
        case .leave(let reading):
            consumers.removeAll { $0.client === client && $0.reading == reading }
        }
        deliver()
    }

    private func told(_ message: Message?) -> [UInt8] {
        let payload = message?.payload ?? []
        return lie?(payload) ?? payload
    }

    /// Appends a message without asking who may.
    ///
    /// - Parameter subject: what a consumer delivers has the subject that it had before.
    func write(_ payload: [UInt8], into stream: BackboneStream, as subject: String? = nil) {
        streams[stream]?.append(Message(subject: subject ?? stream.subject, payload: payload))
        deliver()
    }

    /// Puts a message in the place of another, as if it had come before that.
    func replace(_ payload: [UInt8], at number: Int, in stream: BackboneStream) {
        streams[stream]?[number - 1] = Message(subject: stream.subject, payload: payload)
    }

    /// Makes a stream without asking who may.
    func make(_ stream: BackboneStream) { streams[stream] = streams[stream] ?? [] }

    /// Deletes the messages behind the first `count`, whose numbers stay taken.
    func delete(from stream: BackboneStream, keeping count: Int) {
        guard let messages = streams[stream] else { return }
        let gone = Message(subject: "", payload: [])
        streams[stream] = messages.enumerated().map { $0.offset < count ? $0.element : gone }
    }

    /// Puts a message under the subject of an entry without asking who may.
    func write(_ payload: [UInt8], under entry: BackboneEntry) {
        streams[.events]?.append(Message(subject: entry.subject, payload: payload))
        deliver()
    }

    private func follow(_ filter: String, _ reading: Int, _ client: Client) {
        let prefix = filter.dropLast()
        guard let messages = streams[.events] else {
            return say(.broken(reading: reading, why: nil), to: client)
        }
        var newest: [String: Int] = [:]
        for (index, message) in messages.enumerated() where message.subject.hasPrefix(prefix) {
            newest[message.subject] = index
        }
        let consumer = Consumer(client, reading, .events, next: messages.count) {
            $0.hasPrefix(prefix)
        }
        consumers.append(consumer)
        for index in newest.values.sorted() { send(index + 1, messages[index], to: consumer) }
        say(.caughtUp(reading: reading), to: client)
    }

    private func deliver() {
        guard isUp else { return }
        for consumer in consumers where consumer.client.isConnected {
            guard let stream = consumer.stream, let messages = streams[stream] else { continue }
            while consumer.next < messages.count, consumers.contains(where: { $0 === consumer }) {
                let message = messages[consumer.next]
                consumer.next += 1
                if consumer.matches(message.subject) {
                    send(consumer.next, message, to: consumer)
                }
            }
        }
    }
}
