import BeamscribeCore
import BeamscribeTLS
import Glibc
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// A guest's connection, played from the other end, without TLS.
@Suite struct GuestLinkTests {
    private let machine = HandMachine()
    private let link: GuestLink
    private let here = Endpoint(IPAddress("192.0.2.1")!, port: 1)
    private let there = Endpoint(IPAddress("192.0.2.2")!, port: 2)
    private let channel = ChannelEndpoint(
        BluetoothAddress("00:11:22:33:44:55", kind: .public)!, psm: 0x83)
    private let log = Log()

    /// What the link has told, in a word each.
    private final class Log {
        var events: [String] = []
    }

    init() throws {
        link = GuestLink(
            trusting: try HostTrust(.plain), over: machine, isToBeFound: false)
        link.happened = { [log] event in
            switch event {
            case .connected(let destination, let judgement, let isMove):
                log.events.append("connected to \(destination)\(isMove ? " by a move" : "")")
                #expect(judgement.security == .plain && judgement.counterpart == .host)
            case .failed: log.events.append("failed")
            case .passedOver: break
            case .turnedAway: log.events.append("turned away")
            case .bytes(let bytes): log.events.append("bytes \(bytes.count)")
            case .read, .sent: break
            case .life: log.events.append("life")
            case .closed(let trouble): log.events.append("closed \(trouble.cause)")
            }
        }
    }

    /// The stream of a connection that stands.
    private func connected() throws -> HandStream {
        link.connect(to: [here], or: [])
        return try answered()
    }

    /// The newest try is answered.
    private func answered() throws -> HandStream {
        machine.pass(.zero)
        let stream = try #require(machine.dialled.last?.stream)
        stream.ready(.write)
        return stream
    }

    @Test func link_waitsForRoom_asLongAsSomethingIsUnsaid() throws {
        let stream = try connected()
        #expect(log.events == ["connected to \(here)"] && stream.interest == .read)
        stream.room = 2
        link.send([1, 2, 3])
        #expect(stream.sent == [1, 2] && stream.interest == [.read, .write])
        link.isPaused = true
        #expect(stream.interest == .write)
        stream.room = 9
        stream.ready(.write)
        #expect(stream.sent == [1, 2, 3] && stream.interest == [])
        link.isPaused = false
        #expect(stream.interest == .read)
        stream.receive([1, 2])
        #expect(log.events.last == "bytes 2")
    }

    @Test func link_isNothing_onceItIsLost() throws {
        let stream = try connected()
        #expect(link.transport == .network && link.number == 1)
        stream.room = 0
        link.send([1])
        stream.receive([])
        #expect(log.events.last == "closed hostLost" && link.transport == nil)
        #expect(!stream.isFinished, "what was not said is no good end")
        let next = try connected()
        #expect(link.number == 2 && next.sent.isEmpty)
        link.disconnect()
        #expect(next.isFinished && link.transport == nil)
    }

    /// Also one that says that it lives.
    @Test func link_isEnded_whereTheOtherSideTakesNothing() throws {
        let stream = try connected()
        stream.room = 1
        link.send([1, 2])
        machine.pass(.seconds(59))
        stream.receive([1])
        link.send([3])
        // A byte is taken, and the time begins anew.
        stream.room = 1
        stream.ready(.write)
        machine.pass(.seconds(59))
        link.send([4])
        #expect(log.events.last == "bytes 1" && stream.sent == [1, 2])
        machine.pass(.seconds(1))
        link.send([5])
        #expect(log.events.last == "closed networkLost" && link.transport == nil)
    }

    /// What waits for a slow reader is what counts, and not for how long nothing did.
    @Test func link_stays_whereNothingWaits() throws {
        let stream = try connected()
        stream.room = 100
        for _ in 0..<5 {
            link.send([1])
            machine.pass(.seconds(60))
        }
        stream.room = 0
        link.send([2])
        machine.pass(.seconds(59))
        link.send([3])
        #expect(log.events.count == 1 && link.transport == .network)
    }

    @Test func brokenLink_isLeftAlone_whilePaused() throws {
        let stream = try connected()
        link.isPaused = true
        stream.interest = .read
        stream.receive([])
        #expect(stream.handler == nil && log.events.count == 1)
        link.isPaused = false
        #expect(stream.handler != nil && stream.interest == .read)
    }

    @Test func channel_endsWithItsMark_unlessAWordIsTorn() throws {
        for room in [0, Int.max] {
            link.connect(to: [], or: [.channel(channel)])
            let stream = try answered()
            #expect(link.transport == .bluetooth)
            stream.room = room
            link.send([7])
            stream.room = .max
            link.disconnect()
            #expect(stream.sent == (room == 0 ? [] : [7] + FrameDecoder.endMark))
        }
    }

    @Test func channel_isLeftForANetwork_onceThatAnswers() throws {
        link.connect(to: [], or: [.channel(channel)])
        let old = try answered()
        link.move(to: [])
        link.move(to: [here])
        link.move(to: [here, there])
        machine.pass(.milliseconds(250))
        #expect(machine.dialled.dropFirst().map(\.to) == [.network(here), .network(there)])
        machine.dialled[2].stream.ready(.write)
        #expect(log.events.last == "connected to \(there) by a move" && link.transport == .network)
        #expect(old.isFinished && link.number == 2)
        link.move(to: [here])
        machine.pass(.seconds(20))
        #expect(machine.dialled.count == 3, "a network is left for nothing")
    }

    /// A host that is reached by fe80::1%2 can send nobody there.
    @Test(arguments: [false, true])
    func addressOfOneLink_isLeft_byWhoIsToBeFoundByOthers(isToBeFound: Bool) throws {
        let link = GuestLink(
            trusting: try HostTrust(.plain), over: machine, isToBeFound: isToBeFound)
        let near = Endpoint(
            IPAddress(bytes: [0xFE, 0x80] + Array(repeating: 1, count: 14))!, port: 1)
        let flat = Endpoint(IPAddress("169.254.7.7")!, port: 1)
        link.connect(to: [near], or: [])
        let old = try answered()
        #expect(link.isStopgap == isToBeFound && link.transport == .network)
        link.move(to: [near])
        machine.pass(.seconds(1))
        #expect(machine.dialled.count == 1)
        link.move(to: [near, flat])
        machine.pass(.seconds(1))
        #expect(machine.dialled.dropFirst().map(\.to) == (isToBeFound ? [.network(flat)] : []))
        guard isToBeFound else { return }
        _ = try answered()
        #expect(old.isFinished && !link.isStopgap)
    }

    @Test func move_isTriedAnew_whenItHasFailed() throws {
        link.connect(to: [], or: [.channel(channel)])
        _ = try answered()
        for tries in 1...2 {
            link.move(to: [here])
            machine.pass(.zero)
            #expect(machine.dialled.count == 1 + tries)
            machine.dialled[tries].stream.failure = SystemError("connect", code: ECONNREFUSED)
            machine.dialled[tries].stream.ready(.write)
        }
        #expect(log.events.count == 1 && link.transport == .bluetooth)
    }

    @Test func guest_isPatient_whereAChannelIsAWay() throws {
        link.connect(to: [here], or: [])
        machine.pass(Limits.connecting - .seconds(1))
        #expect(log.events.isEmpty)
        machine.pass(.seconds(1))
        #expect(log.events == ["failed"])
        link.connect(to: [here], or: [.channel(channel)])
        machine.pass(Limits.connecting)
        #expect(log.events == ["failed"] && machine.dialled.last?.to == .channel(channel))
        machine.pass(Limits.connectingByChannel - Limits.connecting)
        #expect(log.events == ["failed", "failed"])
    }

    @Test func freshWay_isTried_whileAConnectionIsMade_andOnlyThen() throws {
        link.add(.network(there))
        link.connect(to: [here], or: [])
        machine.pass(.zero)
        link.add(.network(there))
        link.add(.network(there))
        machine.pass(.milliseconds(250))
        #expect(machine.dialled.map(\.to) == [.network(here), .network(there)])
        link.disconnect()
        machine.pass(.seconds(30))
        #expect(machine.dialled.count == 2 && log.events.isEmpty)
    }

    /// What comes slowly is a sign of life each time that it is enough, and not before.
    @Test func partOfARecord_isLife_byTheKilobyte() throws {
        let events = Log()
        let link = GuestLink(
            trusting: try HostTrust(GuestSecurity()), over: machine, isToBeFound: false)
        link.happened = { [events] event in
            switch event {
            case .life: events.events.append("life")
            case .bytes(let bytes): events.events.append("bytes \(bytes.count)")
            case .read: break
            default: break
            }
        }
        link.connect(to: [here], or: [])
        let stream = try answered()
        let host = try HandTLS(TLSContext(host: HostKey()), over: stream)
        try host.talk()
        let words = [UInt8](repeating: 7, count: 8_000)
        _ = try words.withUnsafeBytes { try host.connection.send($0) }
        var record: [UInt8] = []
        _ = host.connection.flush {
            record += $0; return $0.count
        }
        for (count, lives) in [(1_023, 0), (1, 1), (1_023, 1), (1, 2)] {
            stream.receive(Array(record.prefix(count)))
            record.removeFirst(count)
            #expect(events.events.count == lives && Set(events.events).isSubset(of: ["life"]))
        }
        stream.receive(record)
        #expect(events.events.contains("bytes 8000"))
        link.disconnect()
    }

    @Test func connection_thatCannotBeWatched_isNone() throws {
        link.connect(to: [here], or: [])
        machine.pass(.zero)
        let stream = try #require(machine.dialled.last?.stream)
        stream.watchesLeft = 0
        stream.ready(.write)
        #expect(log.events == ["failed"] && link.transport == nil && stream.isFinished)
    }
}
