import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// The founder is gone, and writers have gone to those who hold the event.
@Suite struct WritersAtHoldersTests: EventWithWriters {
    /// Those who hold an event in which two lines were said, and read it from one another: each from the one
    /// who is named for it. Its founder is gone, and so is who wrote the second log.
    private func orphans(
        _ sources: [Int], _ names: [String] = ["a", "b", "c", "d"]
    ) -> (nodes: [HolderNode], log: EventLog) {
        let room = room()
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        let nodes = names.prefix(sources.count).map { HolderNode($0, in: room, of: founder) }
        for guest in [ben.guest] + nodes.map(\.keeper) {
            guest.canConnect = false
            room.cut(guest)
        }
        for (node, source) in zip(nodes, sources) where source >= 0 {
            node.read(from: nodes[source])
        }
        nodes.pass(seconds: 2)
        return (nodes, ben.log)
    }

    private func writer(of log: EventLog, at node: HolderNode) -> Contributor {
        let elsewhere = Contributor(room: node.room, guest: reader(node.room, "Ben").0, log: log)
        node.room.offer(log, through: elsewhere.guest)
        return elsewhere
    }

    private func expect(_ texts: [String], at nodes: [HolderNode]) {
        for (number, node) in nodes.enumerated() {
            #expect(node.keeper.texts(of: second) == texts, "node \(number)")
            #expect(node.shelf.brokenInvariant == nil)
            #expect(reader(node.room, "late \(number)").0.texts(of: second) == texts)
        }
    }

    /// Each would have the log from the other, who has it from nobody.
    @Test(arguments: [0, 1])
    func twoWhoReadFromEachOther_readAWriter_whoComesToOneOfThem(place: Int) {
        let (nodes, log) = orphans([1, 0])
        let ben = writer(of: log, at: nodes[place])
        ben.say("dos")
        nodes.pass(seconds: 4)
        expect(["uno", "dos"], at: nodes)
        ben.say("tres")
        nodes.exchange()
        expect(["uno", "dos", "tres"], at: nodes)
        #expect(ben.guest.session.offeredIsRead)
    }

    /// Who serves readers of whom nobody reads passes on what a writer brings.
    @Test(arguments: [0, 1, 2, 3])
    func allHaveWhatAWriterBrings_whoComesToAnyOfThem(place: Int) {
        let (nodes, log) = orphans([1, 0, 0, 2])
        let ben = writer(of: log, at: nodes[place])
        ben.say("dos")
        nodes.pass(seconds: 8)
        ben.say("tres")
        ben.whisper("cua")
        nodes.exchange()
        expect(["uno", "dos", "tres"], at: nodes)
        for node in nodes { #expect(node.keeper.lastPartial(of: second) == "cua") }
    }

    /// He goes from one to another, and says something at each.
    @Test func nothingIsLost_whereAWriterGoesAbout() {
        let (nodes, log) = orphans([1, 2, 0])
        var texts = ["uno"]
        for step in 0..<6 {
            let ben = writer(of: log, at: nodes[step % 3])
            ben.say("at \(step)")
            texts.append("at \(step)")
            nodes.pass(seconds: 8)
            nodes[step % 3].room.cut(ben.guest)
            ben.guest.canConnect = false
        }
        expect(texts, at: nodes)
    }

    /// One who serves the event says that lines of another log are gone, and the next has them.
    @Test func holderWhoSaysThatLinesAreGone_isLeft() {
        let room = room()
        let ben = contributor(room)
        ben.say("uno", "dos")
        room.deliver()
        let node = HolderNode("a", in: room, of: founder)
        let word = Array(#""from":1,"through":2"#.utf8)
        var words = 0
        node.room.tamper = { bytes in
            guard words < 3, let found = bytes.firstRange(of: word),
                bytes.firstRange(of: Array(second.wireName.utf8)) != nil
            else { return bytes }
            words += 1
            var bytes = bytes
            bytes[found.lowerBound + 7] = UInt8(ascii: "3")
            return bytes
        }
        let guest = reader(node.room).0
        node.room.pass(seconds: 20)
        #expect(guest.texts(of: second) == ["uno", "dos"] && words == 3)
        #expect(guest.states.contains { if case .reconnecting = $0 { true } else { false } })
    }

    /// A head tells who was put out. A holder could pass on lines, and no heads.
    @Test(arguments: [false, true])
    func holderWhoKeepsHeadsBack_isLeft(passesHeadsOn: Bool) {
        let room = room()
        room.say("one")
        room.deliver()
        let node = HolderNode("a", in: room, of: founder)
        let guest = reader(node.room).0
        if !passesHeadsOn {
            node.room.tamper = LateReaderTests.leavingOutFrames(with: #""type":"head""#)
        }
        let texts = (0..<25).map { "line \($0)" }
        for text in texts {
            for _ in 1...2 {
                room.pass(seconds: 1)
                node.room.pass(seconds: 1)
                node.room.heard(by: node.keeper)
            }
            room.say(text)
            room.deliver()
            node.room.pass(seconds: 1)
        }
        let isLeft = guest.states.contains {
            if case .reconnecting = $0 { true } else { false }
        }
        #expect(isLeft != passesHeadsOn)
        #expect(!passesHeadsOn || guest.texts == ["one"] + texts)
    }

    /// A writer reaches nobody but a machine that serves the event, which reads it from another one. Who may
    /// let him in is asked all the same.
    @Test(arguments: [WriterAdmission.everybody, .nobody])
    func writerWhoKnowsOfAHolderAlone_isLetInByTheFounder(_ admission: WriterAdmission) throws {
        let room = room(admission)
        room.say("one")
        let near = HolderNode("a", in: room, of: founder)
        let far = HolderNode("b", in: near.room, of: founder)
        let log = writer.log(second, of: event, as: "Room 2", now: room.now)
        let ben = writer(of: log, at: far)
        ben.say("uno")
        let reader = reader(room).0
        func pass(seconds: Int) {
            for _ in 1...seconds {
                room.pass(seconds: 1)
                [near, far].pass(seconds: 1)
                room.heard(by: near.keeper)
                near.room.heard(by: far.keeper)
            }
        }
        pass(seconds: 5)
        if case .nobody = admission {
            #expect(reader.texts(of: second).isEmpty && !ben.guest.session.offeredIsRead)
            let asked = room.hostReports.compactMap {
                if case .writerAsks(_, let log) = $0 { log } else { nil }
            }
            #expect(asked.map(\.label) == ["Room 2"])
            room.admit(.keys([try #require(FingerprintPin(asked[0].writer.hex))]))
        }
        pass(seconds: 15)
        #expect(reader.texts(of: second) == ["uno"] && ben.guest.session.offeredIsRead)
        ben.say("dos")
        pass(seconds: 2)
        #expect(reader.texts(of: second) == ["uno", "dos"])
        expect(["uno", "dos"], at: [near, far])
    }

    /// He goes from one of them to the other before a line of his has come to the founder.
    @Test func grant_isGivenToEachWhoAsksForTheWriter() throws {
        let room = room()
        room.say("one")
        let nodes = ["a", "b"].map { HolderNode($0, in: room, of: founder) }
        let log = writer.log(second, of: event, as: "Room 2", now: room.now)
        func pass(seconds: Int) {
            for _ in 1...seconds {
                room.pass(seconds: 1)
                nodes.pass(seconds: 1)
                nodes.forEach { room.heard(by: $0.keeper) }
            }
        }
        let asking = writer(of: log, at: nodes[0])
        asking.guest.canConnect = false
        room.heard(by: nodes[0].keeper)
        #expect(room.hostReports.contains { if case .writerLetIn = $0 { true } else { false } })
        nodes[0].room.cut(asking.guest)
        pass(seconds: 5)
        let ben = writer(of: log, at: nodes[1])
        ben.say("uno")
        pass(seconds: 15)
        #expect(reader(room).0.texts(of: second) == ["uno"] && ben.guest.session.offeredIsRead)
    }

    /// Somebody asks for more logs by one connection than anybody has.
    @Test func whoAsksAgainAndAgain_takesNobodyElsesPlace() {
        let room = room(.nobody)
        let ben = contributor(room)
        ben.say("uno")
        room.deliver()
        let other = reader(room, "Cem").0
        for number in 1...100 {
            let log = ToyCrypto("writer \(number)").log(
                UUID(), of: event, as: "Room \(number)", now: room.now)
            room.offer(log, through: other)
        }
        room.deliver()
        let asking = room.host.room.writersAsking.map(\.label)
        #expect(asking == ["Room 2"] + (93...100).map { "Room \($0)" })
    }

    /// A writer who is let in by a grant that some of them have not heard of is let in with it.
    @Test func grant_isPassedOnWithTheLog() {
        let room = room()
        room.say("one")
        let nodes = ["a", "b"].map { HolderNode($0, in: room, of: founder) }
        nodes[1].keeper.canConnect = false
        room.cut(nodes[1].keeper)
        let ben = contributor(room)
        ben.say("uno")
        room.deliver()
        for guest in [ben.guest, nodes[0].keeper] {
            guest.canConnect = false
            room.cut(guest)
        }
        nodes[0].read(from: nodes[1])
        let elsewhere = writer(of: ben.log, at: nodes[0])
        elsewhere.say("dos")
        nodes.pass(seconds: 4)
        #expect(reader(nodes[1].room, "late").0.texts(of: second) == ["uno", "dos"])
    }
}
