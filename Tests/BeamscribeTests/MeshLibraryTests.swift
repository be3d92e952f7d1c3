import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import TestSupport
import Testing

@testable import Beamscribe

/// The mesh as a program uses it: nodes in one process, over loopback.
@Suite struct MeshLibraryTests {
    private func mesh(
        _ label: String, at addresses: [Endpoint] = [], event: String = "Round Table"
    ) throws -> Mesh {
        var configuration = HostConfiguration(
            eventName: event, deviceName: label, security: HostSecurity(try HostKey()))
        configuration.addresses = [try #require(IPAddress("127.0.0.1"))]
        configuration.port = .number(0)
        (configuration.announces, configuration.bluetooth) = (false, .nothing)
        return try Mesh(configuration, as: label, at: addresses)
    }

    /// The lines that a node is shown until there are so many.
    private func lines(_ mesh: Mesh, _ count: Int) async -> [String] {
        var heard: [String] = []
        for await said in mesh.lines {
            heard.append("\(said.log.label): \(said.line.text)")
            if heard.count == count { break }
        }
        return heard
    }

    @Test func everybody_hasWhatAllSay() async throws {
        let first = try mesh("Ann")
        try await first.start(lookingFor: .milliseconds(1))
        let second = try mesh("Ben", at: await first.places)
        try await second.start(lookingFor: .seconds(30))
        #expect(await first.say("one") == .sent(1))
        await second.say("two")
        await first.say("three")
        for node in [first, second] {
            let heard = await lines(node, 3)
            #expect(heard.sorted() == ["Ann: one", "Ann: three", "Ben: two"])
        }
        for await all in first.peers where all.contains(where: \.isLinked) {
            #expect(all.map(\.name) == ["Ben"])
            break
        }
        await second.leave()
        await first.leave()
        // What was told ends with that.
        for await _ in second.lines {}
        for await _ in second.peers {}
    }

    @Test func some_hearWhatIsSaidToThem_andNobodyElseDoes() async throws {
        let first = try mesh("Ann")
        try await first.start(lookingFor: .milliseconds(1))
        let others = try [
            mesh("Ben", at: await first.places), mesh("Carla", at: await first.places),
        ]
        for node in others { try await node.start(lookingFor: .seconds(30)) }
        var all: [MeshPeer] = []
        for await peers in first.peers where peers.count(where: \.isLinked) == 2 {
            all = peers
            break
        }
        let ben = try #require(all.first { $0.name == "Ben" })
        #expect(await first.say("for Ben", to: [ben]) == .sent(1))
        #expect(await first.say("not for Ben", excluding: [ben]) == .sent(1))
        let nobody = MeshPeer(node: UUID().uuidString, name: "", state: .stable)
        #expect(await first.say("x", to: [nobody]) == .nobody(nobody.node))
        await first.say("for all")
        let heard = await [lines(others[0], 2), lines(others[1], 2)].map { $0.sorted() }
        #expect(heard[0] == ["Ann to Ben: for Ben", "Ann: for all"])
        #expect(heard[1] == ["Ann to all but Ben: not for Ben", "Ann: for all"])
        for node in others + [first] { await node.leave() }
    }

    @Test func nobodyThere_isNoEvent() async throws {
        let nowhere = Endpoint(try #require(IPAddress("127.0.0.1")), port: 9)
        let alone = try mesh("Ann", at: [nowhere])
        await #expect(throws: Mesh.Trouble.noAnswer) {
            try await alone.start(lookingFor: .milliseconds(200))
        }
    }
}
