import BeamscribeCore
import BeamscribeTLS
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// A host's door, and strangers who say what a test has them say.
@Suite struct HostReceptionTests {
    private let machine = HandMachine()
    private let log = Log()

    private final class Log {
        var reports: [HostEvent] = []
        var admitted: [[UInt8]] = []
        var timesEmpty = 0
    }

    private struct Weak {
        private(set) weak var stream: HandStream?

        init(_ stream: HandStream) { self.stream = stream }
    }

    private func reception(allowsPlain: Bool = false) throws -> HostReception {
        let reception = try HostReception(
            HostSecurity(try HostKey(), allowsPlain: allowsPlain), guests: 4, timing: Timing(),
            in: machine)
        reception.report = { [log] in log.reports += $0 }
        reception.admit = { [log] in log.admitted.append($2) }
        reception.allGone = { [log] in log.timesEmpty += 1 }
        return reception
    }

    /// Somebody comes, with these words.
    private func come(
        to reception: HostReception, saying words: [UInt8]? = nil, from number: Int = 1
    ) throws -> HandStream {
        let stream = HandStream()
        if let words { stream.incoming.append(words) }
        let peer = Endpoint(try #require(IPAddress("192.0.2.\(number)")), port: 9)
        try reception.receive(AcceptedConnection(stream, from: .network(peer)))
        return stream
    }

    private func refusal(_ why: String) -> HostEvent {
        .connectionRefused(peer: "192.0.2.1:9", why: why)
    }

    private let frame = [0, 0, 0, 20] + Array(#"{"type":"handshake"}"#.utf8)

    @Test func guestWithoutEncryption_isToldWhatItTakes() throws {
        let reception = try reception()
        let stream = try come(to: reception, saying: frame)
        machine.pass(.zero)
        let said = String(decoding: stream.sent, as: UTF8.self)
        #expect(said.contains("encryption_required") && said.contains("--insecure"))
        let why = "asked for no encryption, which takes --insecure here, too"
        #expect(log.reports == [refusal(why)] && reception.isEmpty && log.timesEmpty == 1)
    }

    @Test func others_areToldNothing() throws {
        let reception = try reception()
        let stream = try come(to: reception, saying: Array("GET / HTTP/1.1\r\n\r\n".utf8))
        machine.pass(.zero)
        #expect(stream.sent.isEmpty && reception.isEmpty)
        #expect(log.reports == [refusal("sent something that is no TLS")])
    }

    @Test func guestWithoutEncryption_comesIn_whereThatIsAllowed_withWhatItHasSaid() throws {
        let reception = try reception(allowsPlain: true)
        let stream = try come(to: reception, saying: frame)
        machine.pass(.zero)
        #expect(log.admitted == [frame] && stream.sent.isEmpty && log.reports.isEmpty)
        #expect(reception.isEmpty && log.timesEmpty == 1 && stream.handler == nil)
        #expect(reception.brokenInvariant == nil)
    }

    @Test func guestWithEncryption_comesIn_withWhatItSaysAtOnce() throws {
        let reception = try reception()
        let stream = try come(to: reception)
        let guest = try HandTLS(.guest(), over: stream)
        // In two pieces: half a first record is none.
        var hello: [UInt8] = []
        _ = guest.connection.flush {
            hello += $0; return $0.count
        }
        stream.receive(Array(hello.prefix(100)))
        machine.pass(.zero)
        #expect(stream.sent.isEmpty)
        stream.receive(Array(hello.dropFirst(100)))
        #expect(stream.interest == [] && stream.sent.isEmpty)
        machine.pass(.zero)
        #expect(stream.interest == .read)
        try guest.talk()
        #expect(log.admitted == [[]] && reception.isEmpty && log.reports.isEmpty)
    }

    @Test func host_waitsForRoom_inItsHandshake() throws {
        let reception = try reception()
        let stream = try come(to: reception)
        let guest = try HandTLS(.guest(), over: stream)
        stream.room = 10
        try guest.say()
        machine.pass(.zero)
        #expect(stream.sent.count == 10 && stream.interest == [.read, .write])
        stream.room = .max
        try guest.talk()
        #expect(log.admitted.count == 1)
    }

    @Test func whoLeavesInItsHandshake_isToldOf_whoOnlyLooks_isNot() throws {
        let reception = try reception()
        let silent = try come(to: reception)
        silent.receive([])
        #expect(log.reports.isEmpty && log.timesEmpty == 1)
        let stream = try come(to: reception)
        let guest = try HandTLS(.guest(), over: stream)
        try guest.say()
        machine.pass(.zero)
        stream.receive([])
        #expect(log.reports == [refusal("broke its handshake off")] && reception.isEmpty)
        let broken = try come(to: reception)
        try HandTLS(.guest(), over: broken).say()
        machine.pass(.zero)
        broken.receive([UInt8](repeating: 7, count: 50))
        #expect(log.reports.count == 2 && reception.isEmpty)
    }

    @Test func silentStranger_hasTenSeconds() throws {
        let reception = try reception()
        _ = try come(to: reception)
        machine.pass(.milliseconds(9_999))
        #expect(!reception.isEmpty)
        machine.pass(.milliseconds(1))
        #expect(reception.isEmpty && log.timesEmpty == 1 && log.reports.count == 1)
        #expect(machine.due == nil, "nobody is looked for")
    }

    @Test func silentStrangers_giveWay_whereThereAreTooMany() throws {
        let reception = try reception()
        let most = Reception.Places(openFiles: machine.openFiles).silent
        // A connection is closed with its stream.
        let streams = try (0..<most + 5).map { Weak(try come(to: reception, from: 1 + $0 % 200)) }
        #expect(streams.count { $0.stream != nil } == most && reception.brokenInvariant == nil)
        #expect(log.reports.isEmpty)
    }

    @Test func waitingStrangers_giveWay_andAreToldNothing_thatIsNoFrame() throws {
        let reception = try reception(allowsPlain: true)
        let most = Reception.Places(openFiles: machine.openFiles).waiting
        let streams = try (0..<most + 3).map {
            try come(to: reception, saying: frame, from: 1 + $0 % 200)
        }
        #expect(streams.allSatisfy(\.sent.isEmpty) && log.reports.count == 3)
        machine.pass(.zero)
        #expect(log.admitted.count == most, "a few each turn, until all have had theirs")
        #expect(reception.isEmpty && log.timesEmpty == 1)
    }

    @Test func waitingStrangers_areToldThatThereIsNoTime_whoSpeakTLS() throws {
        let reception = try reception()
        let most = Reception.Places(openFiles: machine.openFiles).waiting
        let hello: [UInt8] = [Stranger.handshakeRecord, 3, 1, 0, 1, 0]
        let streams = try (0..<most + 3).map {
            try come(to: reception, saying: hello, from: 1 + $0 % 200)
        }
        let told = streams.filter { $0.sent == TLSAlert.internalError.record }
        #expect(told.count == 3 && log.reports.count == 3)
    }
}
