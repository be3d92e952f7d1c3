import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Somebody puts something else over the entries of an event at a server.
@Suite("Entries of an event at a server") struct EntryTests: EventWithWriters {
    private var pin: Fingerprint { ToyVerifier(crypto: writer).writer }

    private func entry(_ kind: BackboneEntry.Kind) -> String {
        BackboneEntry(kind, of: second, in: event).subject
    }

    private func grant(_ number: Int, until seq: Int? = nil, by crypto: ToyCrypto) -> [UInt8] {
        crypto.grant(second, of: writer, in: event, number: number, until: seq)
    }

    private func number(of grant: [UInt8]?) -> Int? {
        guard case .grant(let grant)? = grant?.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return nil }
        return grant.number
    }

    /// A host whose event has a second writer, at a server.
    private func begun() -> (VirtualRoom, Contributor, EntryServer) {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let ben = contributor(room)
        ben.say("uno", "dos")
        let server = EntryServer(
            of: event, bringing: founder.log(event, now: room.now), shelf, proving: founder)
        server.connect(now: room.now)
        server.run(seconds: 2)
        return (room, ben, server)
    }

    @Test("A grant that was replaced by an older one, or by anything, is there again in seconds")
    func grants() {
        let (room, _, server) = begun()
        let first = server.entries[entry(.grant)]
        #expect(number(of: first) == 1)
        room.putOut(pin)
        server.run(seconds: 1)
        let second = server.entries[entry(.grant)]
        #expect(number(of: second) == 2)
        let lies = [first!, Array("x".utf8), [], grant(9, by: writer)]
        for lie in lies {
            server.entries[entry(.grant)] = lie
            server.run(seconds: 8)
            #expect(server.entries[entry(.grant)] == second)
        }
    }

    @Test("A record and a head of another writer are there again in seconds")
    func otherEntries() {
        let (_, _, server) = begun()
        for kind in [BackboneEntry.Kind.log, .head] {
            let right = server.entries[entry(kind)]
            #expect(right != nil)
            for lie in [Array("x".utf8), []] {
                server.entries[entry(kind)] = lie
                server.run(seconds: 8)
                #expect(server.entries[entry(kind)] == right)
            }
        }
    }

    @Test("A grant is put back also where its writer continues the stream, and is away")
    func writerWhoContinues() {
        let (room, _, server) = begun()
        let first = server.entries[entry(.grant)]!
        room.putOut(pin)
        server.run(seconds: 1)
        let right = server.entries[entry(.grant)]
        server.streams[.log(second)]?.append(Array("{}".utf8))
        server.reconnect()
        server.entries[entry(.grant)] = first
        server.run(seconds: 8)
        #expect(number(of: right) == 2 && server.entries[entry(.grant)] == right)
    }

    @Test("A newer grant of the founder's stays where another machine has put it")
    func newerGrant() {
        let (_, _, server) = begun()
        let newer = grant(5, until: 1, by: founder)
        server.entries[entry(.grant)] = newer
        server.run(seconds: 20)
        #expect(server.entries[entry(.grant)] == newer)
    }

    @Test("The server is asked four times a second at most, however many logs there are")
    func bounded() {
        let (_, _, server) = begun()
        let before = server.recalls
        server.run(seconds: 60)
        // The main log's head is recalled whenever there is a new one.
        #expect(server.recalls - before <= 60 * 4 + 12 + 20)
        #expect(server.recalls > before)
    }

    /// Another's log that this machine brings, and of which more is at the server than here.
    private func fillerOfOthers() -> (filler: LogFiller, said: [[UInt8]], publish: (String) -> Void)
    {
        let log = writer.log(second, of: event, as: "Room 2", now: VirtualRoom.beginning)
        let publisher = Publisher(into: log)
        func say(_ text: String) {
            publisher.publish(final: Caption(text: text), now: VirtualRoom.beginning)
            log.seal()
        }
        for text in ["uno", "dos", "tres"] { say(text) }
        var said: [[UInt8]] = []
        log.forEachPayload { said.append(Array($1)) }
        return (LogFiller(log, isOwn: false, proving: founder), said, say)
    }

    @Test("Strangers' messages do not keep a host from bringing a writer's lines")
    func strangersInAnothersLog() {
        let (filler, said, publish) = fillerOfOthers()
        let stream = BackboneStream.log(second)
        let junk = Array("{}".utf8)
        #expect(filler.connected(now: .zero) == [.ask(.look(stream))])
        let third = BackboneRequest.fetch(stream, number: 3)
        #expect(
            filler.take(.found(stream, count: 9, newest: junk), now: .zero) == [.ask(third)])
        let fourth = BackboneRequest.fetch(stream, number: 4)
        #expect(
            filler.take(.fetched(stream, number: 3, said[2]), now: .zero) == [.ask(fourth)])
        #expect(filler.take(.fetched(stream, number: 4, junk), now: .zero) == [])
        #expect(filler.isComplete)
        publish("cuatro")
        guard case .ask(.add(stream, let line, _, _))? = filler.fill(now: .zero).first else {
            Issue.record("the line does not go there")
            return
        }
        #expect(line == 4)
    }

    @Test("A host that lacks lines which others have brought waits for them")
    func linesThatOthersHaveBrought() {
        let (all, _, publish) = fillerOfOthers()
        publish("cuatro")
        var lines: [[UInt8]] = []
        all.log.forEachPayload { lines.append(Array($1)) }
        let (filler, said, _) = fillerOfOthers()
        let stream = BackboneStream.log(second)
        _ = filler.connected(now: .zero)
        _ = filler.take(.found(stream, count: 4, newest: lines[3]), now: .zero)
        _ = filler.take(.fetched(stream, number: 3, said[2]), now: .zero)
        #expect(filler.take(.fetched(stream, number: 4, lines[3]), now: .zero) == [])
        #expect(filler.stored == nil && !filler.hasGivenUp)
        #expect(filler.tick(now: .seconds(2)) == [.ask(.look(stream))])
    }

    /// The head that tells of the lines behind the end is the only one that is there.
    @Test(
        "What a writer said before he was put out is read by newcomers, whatever follows it",
        arguments: [true, false])
    func earlierLines(isLastSigned: Bool) throws {
        let world = BackboneWorld(seed: 1)
        let host = world.host(founder, event)
        world.run(seconds: 1)
        host.say(2)
        let log = writer.log(second, of: event, as: "Room 2", now: world.now)
        let publisher = Publisher(into: log)
        for (index, text) in ["uno", "dos", "tres", "cuatro"].enumerated() {
            publisher.publish(final: Caption(text: text), now: world.now)
            if isLastSigned || index == 3 { log.seal() }
        }
        let record = try #require(log.record)
        let head = try #require(log.newestHead(Timing(), now: world.now))
        let entries: [(BackboneEntry.Kind, ArraySlice<UInt8>)] = [
            (.log, record.dropFirst(FrameDecoder.prefixLength)),
            (.head, head.dropFirst(FrameDecoder.prefixLength)),
            (.grant, grant(2, until: 2, by: founder)[...]),
        ]
        world.server.make(.log(second))
        log.forEachPayload { world.server.write(Array($1), into: .log(second)) }
        for (kind, payload) in entries {
            world.server.write(Array(payload), under: BackboneEntry(kind, of: second, in: event))
        }
        let relay = world.relay(of: event)
        world.run(seconds: 15)
        #expect(relay.shown.count == 2)
        #expect(relay.shownOfOthers == [second.wireName: [1: "uno", 2: "dos"]])
        #expect(relay.others.log(of: second.wireName)?.lastSeq == 2)
        // Nobody could verify that whose last line is not signed.
        let told = relay.others.log(of: second.wireName)?.heldHead
        #expect(told?.seq == (isLastSigned ? 4 : nil))
    }

    @Test("A reader keeps to the newest grant that it has read")
    func reader() {
        let reader = BackboneReader(of: event, isOpen: false, proving: ToyCrypto())
        reader.begin()
        _ = reader.take(.connected, now: .zero)
        let (main, other) = (
            founder.log(event, now: VirtualRoom.beginning),
            writer.log(second, of: event, as: "Room 2", now: VirtualRoom.beginning)
        )
        func say(_ kind: BackboneEntry.Kind, _ session: UUID, _ payload: [UInt8]) {
            let subject = BackboneEntry(kind, of: session, in: event).subject
            _ = reader.take(
                .message(reading: 1, subject: subject, number: 1, payload), now: .zero)
        }
        func payload(_ frame: [UInt8]?) -> [UInt8] {
            Array((frame ?? []).dropFirst(FrameDecoder.prefixLength))
        }
        func head(of log: EventLog) -> [UInt8] {
            payload(log.newestHead(Timing(), now: VirtualRoom.beginning))
        }
        let (old, new) = (grant(1, by: founder), grant(2, until: 2, by: founder))
        say(.log, event, payload(main.record))
        say(.head, event, head(of: main))
        say(.grant, second, new)
        say(.log, second, payload(other.record))
        say(.head, second, head(of: other))
        for lie in [old, grant(3, by: writer)] { say(.grant, second, lie) }
        _ = reader.end()
        // A new guest is told what lets the log in.
        reader.begin()
        let told = String(decoding: reader.takeOutput(), as: UTF8.self)
        #expect(told.contains(String(decoding: new, as: UTF8.self)))
        #expect(!told.contains(String(decoding: old, as: UTF8.self)))
    }
}

/// A server that answers its one host at once.
private final class EntryServer {
    var entries: [String: [UInt8]] = [:]
    var streams: [BackboneStream: [[UInt8]]] = [:]
    private(set) var recalls = 0
    private let log: EventLog
    private let shelf: Shelf
    private let publisher: BackbonePublisher
    private var now = VirtualRoom.beginning

    init(of event: UUID, bringing log: EventLog, _ shelf: Shelf, proving crypto: ToyCrypto) {
        (self.log, self.shelf) = (log, shelf)
        publisher = BackbonePublisher(of: event, hasCode: false, Timing(), proving: crypto)
    }

    func connect(now: Moment) {
        self.now = now
        run(seconds: 0.1)
        perform(publisher.take(.connected, now: now))
    }

    func reconnect() {
        perform(publisher.take(.disconnected(why: ""), now: now))
        perform(publisher.take(.connected, now: now))
        run(seconds: 2)
    }

    func run(seconds: Double) {
        for _ in 0..<Int(exactly: (seconds * 10).rounded())! {
            now = now.advanced(by: .milliseconds(100))
            perform(publisher.look(log, shelf, now: now))
        }
    }

    private func perform(_ actions: [BackbonePublisher.Action]) {
        var waiting = actions[...]
        while let action = waiting.popFirst() {
            guard case .ask(let request) = action, let answer = answer(request) else { continue }
            waiting += publisher.take(answer, now: now)
        }
    }

    private func answer(_ request: BackboneRequest) -> BackboneEvent? {
        switch request {
        case .make(let stream):
            streams[stream] = streams[stream] ?? []
            return .made(stream)
        case .look(let stream):
            guard let messages = streams[stream] else { return .missing(stream) }
            return .found(stream, count: messages.count, newest: messages.last ?? [])
        case .append(let stream, let number, let flight, let payload):
            streams[stream]?.append(payload)
            return .stored(stream, number: number, flight: flight)
        case .say(let subject, let payload):
            entries[subject] = payload
            return nil
        case .recall(let subject):
            recalls += 1
            return .recalled(subject, entries[subject] ?? [])
        default: return nil
        }
    }
}
