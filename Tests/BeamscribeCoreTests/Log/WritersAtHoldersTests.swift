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
