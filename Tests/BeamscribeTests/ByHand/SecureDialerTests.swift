import BeamscribeCore
import BeamscribeTLS
import Glibc
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// Ways to a host, one behind the other, and who answers there.
@Suite struct SecureDialerTests {
    private let machine = HandMachine()
    private let key = try! HostKey()
    private let ways = (1...3).map {
        Destination.network(Endpoint(IPAddress("192.0.2.\($0)")!, port: 1))
    }
    private let log = Log()

    private final class Log {
        var events: [String] = []
        /// Whoever dials is kept by its owner.
        var dialers: [SecureDialer] = []
    }

    @discardableResult
    private func dial(
        _ ways: [Destination], pin: HostKey? = nil, by way: HostTrust.Way = .host
    ) throws -> SecureDialer {
        var security = GuestSecurity()
        security.keys.pin = pin.flatMap { FingerprintPin($0.fingerprint.hex) }
        let dialer = SecureDialer(
            ways, timeout: .seconds(60), by: { _ in way }, trusting: try HostTrust(security),
            over: machine,
            connected: { [log] in
                let whose = $0.judgement.counterpart != .host ? ", which is somebody else" : ""
                log.events.append("connected to \($0.destination)\(whose)")
            },
            failed: { [log] failure in
                switch failure {
                case .trouble(let trouble): log.events.append("trouble: \(trouble.why)")
                case .refused: log.events.append("refused")
                case .violated: log.events.append("violated")
                }
            })
        dialer.turnedAway = { [log] way, _ in log.events.append("turned away at \(way)") }
        log.dialers.append(dialer)
        machine.pass(.zero)
        return dialer
    }

    /// The newest way stands, and a host with this key is there.
    private func answer(_ key: HostKey) throws {
        let stream = try #require(machine.dialled.last?.stream)
        stream.ready(.write)
        try HandTLS(TLSContext(host: key), over: stream).talk()
        machine.pass(.zero)
    }

    @Test func connection_isGiven_onceTheHandshakeIsDone() throws {
        let dialer = try dial([ways[0]], pin: key)
        try answer(key)
        #expect(log.events == ["connected to \(ways[0])"])
        let stream = machine.dialled[0].stream
        #expect(stream.handler == nil, "nobody watches before its owner does")
        dialer.cancel()
    }

    @Test func otherWays_areTried_whereSomebodyElseAnswers_eachOnce() throws {
        let dialer = try dial([ways[0]], pin: key)
        machine.dialled[0].stream.ready(.write)
        for _ in 0..<2 { dialer.add(ways[1]) }
        dialer.add(ways[0])
        try answer(HostKey())
        #expect(log.events == ["turned away at \(ways[0])"])
        #expect(machine.dialled.map(\.to) == [ways[0], ways[1]])
        try answer(HostKey())
        #expect(log.events.dropFirst() == ["refused"] && machine.dialled.count == 2)
    }

    /// Who holds an event for its host has a key of his own, and so may be at an address that is given.
    @Test(arguments: [HostTrust.Way.holder, .address])
    func someoneElse_isHeard_whereHoldersMayBe(_ way: HostTrust.Way) throws {
        let dialer = try dial([ways[0]], pin: key, by: way)
        try answer(HostKey())
        #expect(log.events == ["connected to \(ways[0]), which is somebody else"])
        dialer.cancel()
        let other = try dial([ways[1]], pin: key, by: way)
        try answer(key)
        #expect(log.events.last == "connected to \(ways[1])")
        other.cancel()
    }

    @Test func whatSaysMost_isTold_whereAllHaveFailed() throws {
        try dial([ways[0], ways[1]], pin: key)
        try answer(HostKey())
        machine.dialled[1].stream.failure = SystemError("connect", code: ECONNREFUSED)
        machine.dialled[1].stream.ready(.write)
        #expect(log.events.last == "refused")
    }

    @Test func silentHost_isGivenUp_soonerWhereThereAreOtherWays() throws {
        let dialer = try dial([ways[0], ways[1]])
        machine.dialled[0].stream.ready(.write)
        machine.pass(Limits.guestHandshakeAmongWays - .milliseconds(1))
        #expect(machine.dialled.count == 1)
        machine.pass(.milliseconds(1))
        #expect(machine.dialled.map(\.to) == [ways[0], ways[1]] && log.events.isEmpty)
        machine.dialled[1].stream.ready(.write)
        machine.pass(Limits.guestHandshake - .milliseconds(1))
        #expect(log.events.isEmpty)
        machine.pass(.milliseconds(1))
        #expect(log.events == ["trouble: \(ways[1]): the host did not answer"])
        dialer.cancel()
    }

    @Test func nonsense_isNoHandshake_andItsEndIsTrouble() throws {
        try dial([ways[0]])
        machine.dialled[0].stream.ready(.write)
        machine.dialled[0].stream.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(log.events == ["violated"])
        try dial([ways[1]])
        machine.dialled[1].stream.ready(.write)
        machine.dialled[1].stream.receive([])
        #expect(log.events.last?.hasSuffix("closed the connection in the handshake") == true)
    }

    @Test func nobody_isCalled_onceItIsCancelled() throws {
        let dialer = try dial([ways[0]])
        machine.dialled[0].stream.ready(.write)
        dialer.cancel()
        machine.pass(.seconds(100))
        #expect(log.events.isEmpty && machine.due == nil)
    }
}
