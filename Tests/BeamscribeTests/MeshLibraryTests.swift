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

    @Test func nobodyThere_isNoEvent() async throws {
        let nowhere = Endpoint(try #require(IPAddress("127.0.0.1")), port: 9)
        let alone = try mesh("Ann", at: [nowhere])
        await #expect(throws: Mesh.Trouble.noAnswer) {
            try await alone.start(lookingFor: .milliseconds(200))
        }
    }
}
