import FoundationEssentials
import Testing

@testable import BeamscribeCore

@Suite("A mesh")
struct MeshTests {
    @Test("Two nodes hear one another, over one link")
    func twoNodes() {
        let world = MeshWorld(nodes: 2, seed: 1)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 2)
        world.nodes.forEach { $0.say(3) }
        world.run(seconds: 2)
        #expect(world.isWhole)
        #expect(world.linkCounts == [[0, 1]: 1])
        #expect(world.nodes.flatMap(\.faults) == [])
        #expect(world.nodes.flatMap(\.ends) == [])
        #expect(world.nodes.map(\.carried) == [3, 3])
    }

    @Test("Eight nodes are a full mesh, and each line crosses into each once")
    func eightNodes() {
        let world = MeshWorld(nodes: 8, seed: 2)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 10)
        for round in 0..<40 {
            world.nodes[round % 8].say()
            world.run(seconds: 0.25)
        }
        world.run(seconds: 2)
        #expect(world.isWhole)
        #expect(world.linkCounts.count == 28 && world.linkCounts.values.allSatisfy { $0 == 1 })
        #expect(world.nodes.flatMap(\.faults) == [])
        #expect(world.nodes.map(\.carried) == Array(repeating: 35, count: 8))
        #expect(
            world.nodes.allSatisfy { $0.session.links.peers.allSatisfy { $0.state == .stable } })
    }

    @Test(
        "After links were cut, partitions and crashes, all nodes have all lines, each once",
        arguments: 1...6)
    func worlds(seed: Int) {
        let outcome = MeshWorld.live(nodes: 6, seed: UInt64(clamping: seed), seconds: 60)
        #expect(outcome.healed != nil)
        #expect(outcome.faults == [])
        #expect(outcome.wasted * 8 < outcome.carried)
    }

    /// In these a log came to some before all its lines did, and others held older runs than was read.
    @Test("So it is with eight nodes, as soon as they have found one another", arguments: [10, 58])
    func largeWorlds(seed: Int) throws {
        let outcome = MeshWorld.live(nodes: 8, seed: UInt64(clamping: seed))
        // The longest pause before a try, and what then takes time.
        #expect(try #require(outcome.healed) < 15)
        #expect(outcome.faults == [])
    }

    @Test("Two events of one name that were begun apart become one", arguments: 1...8)
    func events(seed: Int) {
        let world = MeshWorld(nodes: 6, seed: UInt64(clamping: seed)) { $0 < 3 ? 0 : 3 }
        for first in 0..<3 { for second in 3..<6 { world.wall(between: first, and: second) } }
        world.nodes.forEach { $0.start() }
        world.run(seconds: 8)
        world.nodes.forEach { $0.say(2) }
        world.run(seconds: 2)
        #expect(world.nodes.allSatisfy { $0.lacking.count == 3 })
        for first in 0..<3 { for second in 3..<6 { world.open(between: first, and: second) } }
        world.run(seconds: 15)
        world.nodes.forEach { $0.say(2) }
        world.run(seconds: 25)
        #expect(world.isWhole)
        #expect(Set(world.nodes.map(\.event)).count == 1)
        #expect(world.nodes.flatMap(\.faults) == [])
    }

    @Test(
        "They become one, too, where nobody but the node of the event to keep knows an address",
        arguments: 1...4)
    func eventsOfWhichOneIsKnown(seed: Int) throws {
        let world = MeshWorld(nodes: 2, seed: UInt64(clamping: seed)) { $0 }
        let kept = try #require(world.nodes.min { $0.event.wireName < $1.event.wireName })
        world.knows = { knower, _ in knower == kept.index }
        world.nodes.forEach { $0.start() }
        world.nodes.forEach { $0.say(2) }
        world.run(seconds: 40)
        #expect(world.isWhole)
        #expect(Set(world.nodes.map(\.event)) == [kept.name])
        #expect(world.nodes.flatMap(\.faults) == [])
    }

    @Test("An event whose founder is gone before anybody had his word for it is founded anew")
    func founderIsGone() {
        let world = MeshWorld(nodes: 4, seed: 1)
        let others = world.nodes.dropFirst()
        others.forEach { $0.start() }
        world.run(seconds: 3)
        others.forEach { $0.say(2) }
        #expect(others.allSatisfy { $0.lacking.count == 2 })
        world.run(seconds: 40)
        #expect(others.allSatisfy { $0.lacking == [] && $0.faults == [] })
        #expect(Set(others.map(\.event)).count == 1 && others.first?.event != world.nodes[0].name)
    }

    @Test("Who knows of a writer's logs before the founder's has all of them")
    func logs_beforeTheFounders() {
        let world = MeshWorld(nodes: 3, seed: 1)
        let (founder, writer, reader) = (world.nodes[0], world.nodes[1], world.nodes[2])
        writer.start()
        reader.start()
        world.run(seconds: 3)
        writer.say()
        writer.say("to one", to: [reader])
        world.run(seconds: 1)
        founder.start()
        world.run(seconds: 8)
        #expect(reader.lacking == [] && reader.heardAlone == ["to one"])
        #expect(world.nodes.flatMap(\.faults) == [])
    }

    @Test("Who holds an older run of a log than is here is not blamed, and gets the newer one")
    func olderRun() {
        let world = MeshWorld(nodes: 3, seed: 1)
        let (writer, old, new) = (world.nodes[0], world.nodes[1], world.nodes[2])
        world.nodes.forEach { $0.start() }
        world.run(seconds: 3)
        writer.say(3)
        world.run(seconds: 2)
        world.wall(between: 0, and: 1)
        world.wall(between: 1, and: 2)
        writer.crash()
        writer.start()
        world.run(seconds: 8)
        writer.say(2)
        world.run(seconds: 2)
        #expect(new.lacking == [] && old.lacking == [0])
        // Nobody brings the log to who has its newer run when he hears of the older one.
        writer.crash()
        world.run(seconds: 2)
        let before = new.ends.count
        world.open(between: 1, and: 2)
        world.run(seconds: 15)
        #expect(old.lacking == [] && new.state(of: old) == .stable)
        #expect(new.ends.dropFirst(before).allSatisfy { !$0.contains("run") }, "\(new.ends)")
        #expect(world.nodes.flatMap(\.faults) == [])
    }

    @Test("Who alters what he passes on is passed by, and nothing of it is shown", arguments: 1...4)
    func alterations(seed: Int) {
        let world = MeshWorld(nodes: 5, seed: UInt64(clamping: seed))
        let liar = world.nodes[2]
        // Of the first and the last two each has nobody in common but the liar and one other.
        for (first, second) in [(0, 3), (0, 4)] { world.wall(between: first, and: second) }
        world.tamper = { sender, bytes in
            sender === liar
                ? bytes.replacing(Array(" says ".utf8), with: Array(" SAYS ".utf8)) : bytes
        }
        world.nodes.forEach { $0.start() }
        world.run(seconds: 8)
        for round in 0..<60 {
            world.nodes[round % 5].say()
            world.run(seconds: 0.5)
        }
        world.run(seconds: 20)
        let honest = world.nodes.filter { $0 !== liar }
        #expect(honest.allSatisfy { $0.lacking.allSatisfy { $0 == 2 } })
        #expect(world.nodes.flatMap(\.faults) == [])
    }

    @Test("Nobody gives out a log under the id of another, nor that of yesterday as today's")
    func strangers() throws {
        let world = MeshWorld(nodes: 3, seed: 1)
        world.nodes.prefix(2).forEach { $0.start() }
        world.run(seconds: 6)
        world.nodes[1].say(2)
        world.run(seconds: 2)
        let liar = ToyCrypto("liar")
        var handshake = Handshake(deviceId: UUID().uuidString, displayName: "liar")
        (handshake.logs, handshake.node) = (1, UUID().wireName)
        handshake.event = world.nodes[0].event.wireName
        func record(_ session: UUID, of event: UUID) throws -> [UInt8] {
            var record = LogRecord(
                session.wireName, of: event.wireName, as: "liar", lang: nil, eventName: "Town Hall",
                deviceName: "x", created: MeshWorld.created, number: 9)
            record.key = Data(liar.publicKey)
            return liar.signedFrame(try FrameEncoder().frame(.log(record)), LogStatement.record)
        }
        let hello = try FrameEncoder().frame(.handshake(handshake))
        #expect(world.nodes[0].hear(hello, from: 501))
        let event = world.nodes[0].event
        #expect(!world.nodes[0].hear(try record(world.nodes[1].name, of: event), from: 501))
        // Nor of one who has yet to come.
        handshake.node = UUID().wireName
        #expect(world.nodes[0].hear(try FrameEncoder().frame(.handshake(handshake)), from: 503))
        #expect(!world.nodes[0].hear(try record(world.nodes[2].name, of: event), from: 503))
        // A log of his own of another event is none of this one, and no more than that.
        let own = try #require(
            BoundSession.id(of: liar.publicKey, begunAt: MeshWorld.created, by: liar))
        handshake.node = UUID().wireName
        #expect(world.nodes[0].hear(try FrameEncoder().frame(.handshake(handshake)), from: 502))
        #expect(world.nodes[0].hear(try record(own, of: UUID()), from: 502))
        #expect(world.nodes[0].shelf.log(of: own.wireName) == nil)
        #expect(world.nodes[0].shelf.titles.count == 2)
        world.nodes[2].start()
        world.run(seconds: 3)
        world.nodes[1].say(2)
        world.nodes[2].say(2)
        world.run(seconds: 3)
        #expect(world.isWhole)
    }

    /// Readers of that language would read the translation in the place of the words.
    @Test("Nobody translates what another has said", arguments: ["es", "en"])
    func anothersWords(language: String) throws {
        let world = MeshWorld(nodes: 2, seed: 1)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 6)
        world.nodes.forEach { $0.say() }
        world.run(seconds: 2)
        let (node, liar) = (world.nodes[0], ToyCrypto("liar"))
        var handshake = Handshake(deviceId: UUID().uuidString, displayName: "liar")
        (handshake.logs, handshake.node) = (1, UUID().wireName)
        handshake.event = node.event.wireName
        #expect(node.hear(try FrameEncoder().frame(.handshake(handshake)), from: 501))
        func isTaken(_ number: Double, _ change: (inout LogRecord) -> Void) throws -> Bool {
            let created = MeshWorld.created + number
            let session = try #require(
                BoundSession.id(of: liar.publicKey, begunAt: created, by: liar))
            var record = LogRecord(
                session.wireName, of: node.event.wireName, as: "en", lang: language,
                eventName: "Town Hall", deviceName: "x", created: created, number: 1)
            record.key = Data(liar.publicKey)
            change(&record)
            let frame = try FrameEncoder().frame(.log(record))
            #expect(node.hear(liar.signedFrame(frame, LogStatement.record), from: 501))
            return node.shelf.has(session.wireName)
        }
        let own = try #require(node.shelf.titles.first?.session)
        for (number, original) in [node.event.wireName, own, UUID().wireName].enumerated() {
            let isTranslationTaken = try isTaken(Double(number)) { record in
                (record.kind, record.of) = (LogRecord.translation, original)
            }
            #expect(!isTranslationTaken)
        }
        #expect(try isTaken(3) { _ in })
    }

    @Test(
        "A founder that closes the event by a later record locks out nobody", arguments: [0, 1, 2])
    func closedEvent(known: Int) throws {
        let world = MeshWorld(nodes: 4, seed: 1)
        let (founder, late) = (world.nodes[0], world.nodes[3])
        let honest = world.nodes.dropFirst()
        // The one that comes late meets one who knows the first record, the founder, or all.
        if known < 2 { world.wall(between: known, and: 3) }
        world.nodes.prefix(3).forEach { $0.start() }
        world.run(seconds: 6)
        founder.say()
        world.run(seconds: 2)
        let lie = try founder.closedRecord()
        var told = 0
        world.tamper = { sender, bytes in
            guard sender === founder, bytes.starts(with: [0, 0]) else { return bytes }
            told += 1
            return lie + bytes
        }
        founder.say()
        world.run(seconds: 2)
        late.start()
        world.run(seconds: 6)
        if known != 1 { founder.crash() }
        world.run(seconds: 6)
        honest.forEach { $0.say(2) }
        world.run(seconds: 10)
        #expect(told > 0 && honest.allSatisfy { $0.lacking.allSatisfy { $0 == 0 } })
        #expect(late.shown[world.nodes[1].name.wireName] == [1, 2])
        #expect(world.nodes[1].shown[late.name.wireName] == [1, 2])
        #expect(honest.flatMap(\.faults) == [])
    }

    @Test("Who floods is read slowly, and takes nobody's lines away")
    func floods() {
        let world = MeshWorld(nodes: 4, seed: 1)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 6)
        for _ in 0..<40 {
            world.nodes[3].say(50)
            world.nodes[1].say()
            world.run(seconds: 0.1)
        }
        world.run(seconds: 1)
        let read = world.nodes[0].shown[world.nodes[3].name.wireName]?.last ?? 0
        #expect((1_000...1_500).contains(read))
        #expect(world.nodes[0].lacking == [3])
        world.run(seconds: 120)
        #expect(world.isWhole)
    }

    @Test("Who comes late has a long history at once")
    func history() {
        let world = MeshWorld(nodes: 3, seed: 1)
        world.nodes[0].start()
        world.nodes[1].start()
        world.run(seconds: 6)
        // In a minute's worth, so that it is no flood.
        for _ in 0..<10 {
            world.nodes[0].say(400)
            world.run(seconds: 30)
        }
        #expect(world.nodes[1].lacking == [])
        world.nodes[2].start()
        world.run(seconds: 4)
        #expect(world.isWhole)
    }

    @Test("Keep-alives over links tell how long ago the event's last input came")
    func inputAge() {
        let world = MeshWorld(nodes: 3, seed: 3)
        // The founder is dialled by the others, and is the host to them.
        world.knows = { $1 == 0 }
        var ages: [(time: Duration, age: Double)] = []
        let packets = PacketDecoder()
        world.tamper = { node, bytes in
            var decoder = FrameDecoder()
            try? bytes.withUnsafeBytes { bytes in
                try decoder.decode(bytes) { payload in
                    if node === world.nodes[0],
                        case .keepAlive(let packet)? = try? packets.packet(payload),
                        let age = packet.inputAge
                    {
                        ages.append((world.now.uptime, age))
                    }
                    return true
                }
            }
            return bytes
        }
        let begin = world.now.uptime
        world.nodes.forEach { $0.start() }
        world.run(seconds: 10)
        #expect(!ages.isEmpty)
        #expect(ages.allSatisfy { $0.age <= ($0.time - begin).seconds })
        world.nodes[0].say()
        let said = world.now.uptime
        ages = []
        world.run(seconds: 10)
        #expect(!ages.isEmpty)
        #expect(ages.allSatisfy { abs($0.age - ($0.time - said).seconds) < 0.1 })
    }

    @Test(
        "What is said to some goes to them alone, over their links with who says it",
        arguments: 1...4)
    func whispers(seed: Int) {
        let world = MeshWorld(nodes: 5, seed: UInt64(clamping: seed))
        world.nodes.forEach { $0.start() }
        world.run(seconds: 8)
        world.nodes[0].say("for one", to: [world.nodes[1]])
        world.nodes[4].say("for two", to: [world.nodes[0], world.nodes[3]])
        world.nodes.forEach { $0.say() }
        world.run(seconds: 10)
        #expect(world.nodes.map(\.heardAlone) == [["for two"], ["for one"], [], ["for two"], []])
        // Whoever comes back has it from him, and from nobody else.
        world.wall(between: 4, and: 3)
        world.nodes[3].crash()
        world.nodes[3].start()
        world.run(seconds: 20)
        #expect(world.nodes[3].heardAlone == ["for two"])
        world.open(between: 4, and: 3)
        world.run(seconds: 20)
        #expect(world.nodes[3].heardAlone == ["for two", "for two"])
        #expect(world.nodes.flatMap(\.faults) == [])
        #expect(world.isWhole)
    }
}
