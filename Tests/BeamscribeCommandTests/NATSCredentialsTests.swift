import TestSupport
import Testing

/// Users who are let in at a NATS server by a credentials file: what operators and accounts have signed, and no
/// list of the server's.
@Suite(.timeLimit(.minutes(3)), Skip.without("nats-server")) struct NATSCredentialsTests {
    private let credentials: NATSCredentials
    private let server: NATSServer

    init() async throws {
        credentials = try await NATSCredentials.make()
        server = try await NATSServer.start(credentials.trust)
    }

    private func options(of user: String?) -> [String] {
        ["--nats", server.url] + credentials.options(of: user)
    }

    private func room(of user: String?) async throws -> Room {
        try await Room.open(options(of: user))
    }

    private func relay(of user: String?) async throws -> Holder {
        try await Holder.open(["relay", "Town Hall"] + options(of: user), of: nil)
    }

    /// Captions go on, and nobody says that the server had them.
    private func expectGuestsServed(in room: Room) async throws {
        let guest = try room.join()
        try await room.tell(numbered(1...3))
        #expect(try await guest.waitForLines(3) == numbered(1...3))
        #expect(!room.host.standardErrorText.contains("keeps the event"))
    }

    @Test func relay_whoMayOnlyRead_servesEveryLine() async throws {
        let room = try await room(of: "host")
        try await room.tell(numbered(1...100))
        let relay = try await relay(of: "relay")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(100) == numbered(1...100))
        try await room.tell(numbered(101...200))
        #expect(try await reader.waitForLines(200) == numbered(1...200))
    }

    @Test func host_whoMayOnlyRead_isToldSo_andGoesOnHere() async throws {
        let room = try await room(of: "relay")
        try await room.host.waitForLine(
            containing: "does not take the event: Permissions Violation", on: .standardError)
        try await expectGuestsServed(in: room)
    }

    /// The server says nothing of a line that it does not take.
    @Test func host_whoMayMakeStreamsAlone_isToldThatNoLineIsTaken() async throws {
        let room = try await room(of: "mute")
        try await room.tell("one")
        try await room.host.waitForLine(
            containing: "Permissions Violation for Publish to \"beamscribe.log.",
            on: .standardError)
        #expect(try await room.join().waitForLines(1) == ["one"])
    }

    @Test func host_whoseAccountHasNoJetStream_isToldSo_andGoesOnHere() async throws {
        let room = try await room(of: "poor")
        try await room.host.waitForLine(
            containing: "JetStream not enabled for account", on: .standardError)
        try await expectGuestsServed(in: room)
    }

    private static let refusals: [(user: String?, why: String)] = [
        (nil, "it lets in only users whom it knows"),
        ("expired", "or has expired"),
        ("foreign", "is for another server"),
    ]

    @Test(arguments: refusals)
    func host_whoIsNotLetIn_isToldWhy_andGoesOnHere(_ user: String?, _ why: String) async throws {
        let room = try await room(of: user)
        let line = try await room.host.waitForLine(
            containing: "cannot be reached", on: .standardError)
        #expect(line.contains(why))
        try await expectGuestsServed(in: room)
    }

    @Test(arguments: refusals)
    func relay_whoIsNotLetIn_isToldWhy(_ user: String?, _ why: String) async throws {
        let words = ["relay", "Town Hall"] + options(of: user)
        let relay = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        try await relay.waitForLine(containing: why, on: .standardError)
        relay.interrupt()
        try await relay.expectExit(0)
    }

    /// It would begin another one beside that which is there.
    @Test(arguments: ["poor", "foreign"])
    func node_whoCannotKnowWhetherTheEventIsThere_beginsNone(_ user: String) async throws {
        let words = ["mesh", "Town Hall"] + Room.quiet(port: 0) + options(of: user)
        let node = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        try await node.expectExit(69)
        #expect(node.standardErrorText.contains("cannot be reached"))
    }

    /// They are at one server, and see nothing of one another.
    @Test func accounts_haveEventsOfTheirOwn_ofOneName() async throws {
        for (user, reader) in [("host", "relay"), ("other", "other")] {
            let room = try await room(of: user)
            try await room.tell("of \(user)")
            let relay = try await relay(of: reader)
            #expect(try await relay.join().waitForLines(1) == ["of \(user)"])
        }
    }

    /// Time may be over before there was a connection, or while there is one.
    @Test(arguments: ["expired", "brief"])
    func host_whoseCredentialsAreRenewed_bringsWhatTheServerLacks(_ user: String) async throws {
        let room = try await room(of: user)
        try await room.host.waitForLine(containing: "cannot be reached", on: .standardError)
        try await room.tell(numbered(1...3))
        try credentials.replace(user, by: "host")
        let relay = try await relay(of: "relay")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(3) == numbered(1...3))
    }
}
