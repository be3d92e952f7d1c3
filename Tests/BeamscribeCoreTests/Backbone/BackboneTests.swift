import FoundationEssentials
import Testing

@testable import BeamscribeCore

@Suite("Logs at a server")
struct BackboneTests {
    private let session = UUID()

    private func check(
        _ world: BackboneWorld, _ host: BackboneHost, _ location: SourceLocation = #_sourceLocation
    ) {
        let isKept = world.kept(session, host.log.runs) == host.lines
        #expect(isKept, sourceLocation: location)
        for relay in world.relays {
            #expect(relay.faults == [], sourceLocation: location)
            #expect(relay.shown.count == host.log.lastSeq, sourceLocation: location)
            for (seq, text) in relay.shown {
                #expect(host.log.final(seq)?.text == text, sourceLocation: location)
            }
        }
    }

    @Test("What is said is kept there, and read from there, also by who comes late")
    func plain() {
        let world = BackboneWorld(seed: 1)
        let host = world.host(session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        host.say(3)
        world.run(seconds: 1)
        check(world, host)
        host.say(5_000)
        world.run(seconds: 5)
        _ = world.relay(of: session)
        world.run(seconds: 5)
        check(world, host)
        #expect(host.backbone.isComplete)
        host.begin("what is being")
        world.run(seconds: 0.1)
        #expect(world.relays.allSatisfy { $0.partials.last == "what is being" })
    }

    @Test(
        "A server that is killed and loses what it had not written is given it again",
        arguments: 1...40)
    func kills(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        world.server.forgetsConsumers = seed % 2 == 0
        let host = world.host(session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        for round in 0..<6 {
            for _ in 0..<world.number(1...50) {
                host.say(world.number(1...5))
                world.run(seconds: world.random(0...0.05))
            }
            if round % 2 == 1 { _ = world.relay(of: session) }
            switch world.number(1...4) {
            case 1: world.server.wipe()
            case 2: host.crash(); host.start()
            default:
                world.server.kill(losing: world.number(0...30))
                world.run(seconds: world.random(0.1...3))
                world.server.start()
            }
        }
        host.say()
        world.run(seconds: 30)
        check(world, host)
    }

    @Test(
        "Lost answers, and lines that are lost on the way, are asked for again", arguments: 1...20)
    func losses(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let host = world.host(session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        world.loses = 200
        for _ in 0..<200 {
            host.say(world.number(1...10))
            world.run(seconds: world.random(0...0.1))
        }
        world.loses = .max
        world.run(seconds: 20)
        check(world, host)
    }

    @Test("A host that has lost lines that are there goes on in another part", arguments: 1...40)
    func lostLines(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let host = world.host(session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        for round in 0..<4 {
            for _ in 0..<world.number(1...20) {
                host.say(world.number(1...5))
                world.run(seconds: world.random(0...0.05))
            }
            world.run(seconds: world.random(0...1))
            host.crash()
            host.start(losing: world.number(0...20))
            if round == 2 { _ = world.relay(of: session) }
        }
        host.say(5)
        world.run(seconds: 40)
        check(world, host)
        #expect(!host.news.contains(.foreign(log: "Floor")))
    }

    @Test(
        "Lines of an earlier part that a killed server has lost are filled again", arguments: 1...8
    )
    func earlierParts(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let host = world.host(session)
        world.run(seconds: 1)
        for _ in 0..<3 {
            host.say(20)
            world.run(seconds: 1)
            host.crash()
            host.start(losing: 5)
            host.say(10)
            world.run(seconds: 1)
        }
        world.server.kill(losing: world.number(6...40))
        world.run(seconds: 1)
        world.server.start()
        world.run(seconds: 5)
        _ = world.relay(of: session)
        world.run(seconds: 5)
        check(world, host)
    }

    @Test("An empty part is left if a later run has lost lines before it")
    func emptyPart() {
        let world = BackboneWorld(seed: 1)
        let host = world.host(session)
        world.run(seconds: 1)
        host.say(20)
        world.run(seconds: 1)
        host.crash()
        host.start(losing: 5)
        world.run(seconds: 1)
        #expect(world.server.streams[.log(session, part: 2)] == [])
        host.crash()
        host.start(losing: 3)
        host.say(4)
        world.run(seconds: 5)
        _ = world.relay(of: session)
        world.run(seconds: 5)
        check(world, host)
    }

    @Test("A lost entry of an event is asked for again", arguments: 1...8)
    func lostEntries(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let host = world.host(session)
        host.say(3)
        world.run(seconds: 1)
        world.loses = 3
        for _ in 0..<4 { _ = world.relay(of: session) }
        world.run(seconds: 5)
        world.loses = .max
        host.say()
        world.run(seconds: 20)
        check(world, host)
    }

    @Test(
        "Of two who write one log the second stops, and the stream is the first one's",
        arguments: 1...20)
    func twoWriters(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let first = world.host(ToyCrypto(), session)
        _ = world.relay(of: session)
        world.run(seconds: 1)
        first.say(20)
        world.run(seconds: 1)
        let second = world.host(ToyCrypto(), session)
        second.say(world.number(1...40))
        world.run(seconds: 6)
        first.say(5)
        second.say(5)
        world.run(seconds: 10)
        #expect(second.news.contains(.foreign(log: "Floor")))
        #expect(!first.news.contains(.foreign(log: "Floor")))
        check(world, first)
    }

    @Test("Two who begin at the same time do not mix their lines", arguments: 1...20)
    func twoAtOnce(seed: Int) {
        let world = BackboneWorld(seed: UInt64(clamping: seed))
        let hosts = [world.host(ToyCrypto(), session), world.host(ToyCrypto(), session)]
        for _ in 0..<50 {
            hosts[world.number(0...1)].say()
            world.run(seconds: world.random(0...0.02))
        }
        world.run(seconds: 10)
        let kept = world.kept(session, SessionRuns())
        let losers = hosts.filter { $0.news.contains(.foreign(log: "Floor")) }
        #expect(losers.count >= 1)
        let isOfOne = losers.count == 2 || hosts.contains { $0.lines == kept }
        #expect(isOfOne)
    }

    @Test("What is there of an event that nobody has signed is passed over")
    func strangers() {
        let world = BackboneWorld(seed: 3)
        let host = world.host(session)
        world.run(seconds: 1)
        host.say(5)
        world.run(seconds: 1)
        let stranger = ModelServer.Client("stranger") { _ in }
        world.server.connect(stranger)
        world.run(seconds: 1)
        let relay = world.relay(of: session)
        world.run(seconds: 1)
        let bytes = Array(#"{"type":"head","session":"\#(session.wireName)"}"#.utf8)
        for kind in [BackboneEntry.Kind.head, .grant, .log] {
            let entry = BackboneEntry(kind, of: session, in: session)
            world.server.ask(.say(entry.subject, bytes), by: stranger)
            let other = BackboneEntry(kind, of: UUID(), in: session)
            world.server.ask(.say(other.subject, Array("{}".utf8)), by: stranger)
        }
        world.server.ask(.say("beamscribe.partial.\(session.wireName)", bytes), by: stranger)
        world.server.ask(
            .say(
                "beamscribe.partial.\(session.wireName)",
                Array(
                    #"{"type":"liveChunk","line":"x","isFinal":false,"text":"lies","sentTimestamp":1}"#
                        .utf8)), by: stranger)
        world.run(seconds: 1)
        host.say(5)
        world.run(seconds: 10)
        check(world, host)
        #expect(relay.outcome == nil)
        #expect(relay.partials == [])
    }

    @Test("A subject is read as it is written, and nothing else is")
    func subjects() {
        let entry = BackboneEntry(.grant, of: UUID(), in: session)
        #expect(BackboneEntry(subject: entry.subject) == entry)
        for subject in ["", "beamscribe.event.x.log.y", entry.subject + ".x", "a" + entry.subject] {
            #expect(BackboneEntry(subject: subject) == nil)
        }
        #expect(BackboneStream.log(session).name.count == 43)
        #expect(BackboneStream.log(session, part: 2).subject.hasSuffix("_r2"))
    }
}

extension BackboneWorld {
    fileprivate func host(_ session: UUID) -> BackboneHost { host(ToyCrypto(), session) }
}
