import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// What a node of a mesh dials on the word of others.
@Suite("Dials on the word of others")
struct DialLimitTests {
    private static let event = UUID()

    /// A node that is linked with others, by the addresses at which it has dialled them.
    private final class Node {
        let session: MeshSession
        private(set) var now = VirtualRoom.beginning
        /// What it has dialled, and when.
        private(set) var dialled: [(at: Duration, address: String)] = []
        private var links: [String: Int] = [:]
        /// Numbers of those who answer at an address.
        private var met: [String: Int] = [:]
        /// Whether somebody answers at an address: others fail.
        var answers: Set<String>

        init(linkedWith addresses: [String]) {
            answers = Set(addresses)
            let crypto = ToyCrypto("own")
            session = MeshSession(
                MeshSession.Configuration(deviceName: "own", event: event),
                of: DialLimitTests.name(0),
                with: Shelf(joining: event, proving: crypto, order: EventOrder()),
                proving: crypto, signing: crypto, seed: 1)
            for address in addresses {
                perform(session.heard(of: nil, at: [address], now: now))
            }
            run(seconds: 5)
            dialled = []
        }

        func run(seconds: Double) {
            let end = now.uptime + .seconds(saturating: seconds)
            while now.uptime < end {
                now = now.advanced(by: .milliseconds(50))
                perform(session.tick(now))
            }
        }

        func tell(_ peers: [Peers.Peer], by teller: String) {
            guard let link = links[teller] else { return }
            receive(.peers(Peers(peers)), by: link)
        }

        private func receive(_ packet: Packet, by link: Int) {
            let frame = try! FrameEncoder().frame(packet)
            perform(frame.withUnsafeBytes { session.received($0, by: link, now: now) })
        }

        private func perform(_ actions: [MeshSession.Action]) {
            for case .dial(let link, let addresses) in actions {
                dialled += addresses.map { (now.uptime, $0) }
                guard let address = addresses.first(where: answers.contains) else {
                    perform(session.disconnected(link, why: "nobody", now: now))
                    continue
                }
                links[address] = link
                perform(session.connected(link, as: UUID(), now: now))
                var response = HandshakeResponse(status: .accepted)
                response.logs = Handshake.currentLogs
                met[address] = met[address] ?? met.count + 1
                response.node = DialLimitTests.name(0x10000 + (met[address] ?? 0))
                response.session = event.wireName
                receive(.handshakeResponse(response), by: link)
            }
        }
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }

    private static func peer(_ number: Int, at addresses: [String]) -> Peers.Peer {
        Peers.Peer(node: name(0x20000 + number), addresses: addresses, role: "peer")
    }

    private static func address(_ number: Int) -> String {
        "11.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255):23267"
    }

    private static let teller = "192.0.2.1:23267"

    @Test("97 packets of 64 nodes at four addresses each cost 8 dials, and then 2 a second")
    func attack() {
        let node = Node(linkedWith: [Self.teller])
        for packet in 0..<97 {
            let peers = (0..<64).map { index in
                let number = packet * 64 + index
                return Self.peer(
                    number, at: (0..<4).map { Self.address(number * 4 + $0) })
            }
            node.tell(peers, by: Self.teller)
        }
        node.run(seconds: 10)
        #expect((8...29).contains(node.dialled.count), "\(node.dialled.count)")
        #expect(node.session.links.peers.count <= Limits.nodes)
    }

    @Test("One address is dialled with pauses, whoever is said to be there")
    func oneVictim() {
        let node = Node(linkedWith: [Self.teller])
        for round in 0..<200 {
            node.tell([Self.peer(round, at: ["198.51.100.7:80"])], by: Self.teller)
            node.run(seconds: 0.1)
        }
        // After 0, 1, 2, 4, 8, 10 s, each up to a fifth less.
        #expect((3...6).contains(node.dialled.count), "\(node.dialled.count)")
    }

    @Test("One node is dialled with pauses, at whichever addresses it is said to be")
    func oneName() {
        let node = Node(linkedWith: [Self.teller])
        for round in 0..<200 {
            node.tell([Self.peer(1, at: [Self.address(round)])], by: Self.teller)
            node.run(seconds: 0.1)
        }
        #expect((3...6).contains(node.dialled.count), "\(node.dialled.count)")
    }

    @Test("Who tells of few is not kept waiting by who tells of many")
    func fairness() {
        let honest = "192.0.2.2:23267"
        let node = Node(linkedWith: [Self.teller, honest])
        for packet in 0..<97 {
            node.tell(
                (0..<64).map {
                    Self.peer(packet * 64 + $0, at: [Self.address(packet * 64 + $0)])
                }, by: Self.teller)
        }
        let wanted = (1...2).map { "203.0.113.\($0):23267" }
        node.tell(
            wanted.enumerated().map { Self.peer(-1 - $0.offset, at: [$0.element]) }, by: honest)
        node.answers.formUnion(wanted)
        node.run(seconds: 10)
        #expect(Set(node.dialled.map(\.address)).isSuperset(of: wanted))
        #expect(node.session.links.linked.count == 4)
    }

    @Test("Who was met, discovered or typed keeps his place, and is dialled again as ever")
    func places() {
        let node = Node(linkedWith: [Self.teller])
        for number in 0..<40 {
            _ = node.session.heard(
                of: Self.name(0x30000 + number), at: ["203.0.113.\(number + 1):1"], now: node.now)
        }
        for packet in 0..<20 {
            node.tell(
                (0..<64).map {
                    Self.peer(packet * 64 + $0, at: [Self.address(packet * 64 + $0)])
                }, by: Self.teller)
            node.run(seconds: 0.5)
        }
        let known = Set(node.session.links.peers.map(\.node))
        #expect(known.isSuperset(of: (0..<40).map { Self.name(0x30000 + $0) }))
        #expect(known.count <= Limits.nodes)
    }

    private static let addresses: [(String, String, Bool)] = [
        ("192.0.2.7:1", "192.0.2.1:5", true), ("10.0.0.7:65535", "192.0.2.1:5", true),
        ("[2001:db8::7]:1", "192.0.2.1:5", true), ("[::ffff:10.0.0.1]:1", "10.0.0.2:5", true),
        ("127.0.0.1:1", "192.0.2.1:5", false), ("[::1]:1", "192.0.2.1:5", false),
        ("[::ffff:127.0.0.1]:1", "192.0.2.1:5", false), ("127.0.0.1:1", "127.0.0.1:5", true),
        ("127.9.9.9:1", "[::1]:5", true), ("[::1]:1", "[::1]:5", true),
        ("169.254.1.1:1", "192.0.2.1:5", false), ("169.254.1.1:1", "169.254.3.3:5", true),
        ("169.254.1.1:1", "[fe80::1%eth0]:5", false), ("[fe80::1]:1", "192.0.2.1:5", false),
        ("[fe80::1%eth0]:1", "[fe80::1%eth0]:5", false),
        ("224.0.0.251:1", "127.0.0.1:5", false), ("[ff02::fb]:1", "127.0.0.1:5", false),
        ("0.0.0.0:1", "127.0.0.1:5", false), ("[::]:1", "127.0.0.1:5", false),
        ("255.255.255.255:1", "127.0.0.1:5", false), ("240.0.0.1:1", "127.0.0.1:5", false),
        ("192.0.2.7:0", "127.0.0.1:5", false), ("192.0.2.7", "127.0.0.1:5", false),
        ("host.example:1", "127.0.0.1:5", false), ("192.0.2.07:1", "127.0.0.1:5", false),
        ("192.0.2.256:1", "127.0.0.1:5", false), ("[2001:db8::7::1]:1", "127.0.0.1:5", false),
        ("[1:2:3:4:5:6:7:8:9]:1", "127.0.0.1:5", false), ("[2001:db8]:1", "127.0.0.1:5", false),
        ("[64:ff9b::7f00:1]:1", "192.0.2.1:5", false), ("[2002:7f00:1::]:1", "192.0.2.1:5", false),
        ("[::127.0.0.1]:1", "192.0.2.1:5", false), ("", "", false), ("192.0.2.7:1", "", true),
        ("127.0.0.1:1", "", false), ("2001:db8::7:1", "127.0.0.1:5", false),
    ]

    @Test("An address counts where it can mean a node", arguments: addresses)
    func scopes(_ address: String, _ teller: String, _ counts: Bool) {
        let origin = PeerAddress(host: teller)
        #expect((PeerAddress(address)?.mayBeTold(from: origin) == true) == counts)
    }

    private static let spellings: [(String, String)] = [
        ("192.0.2.7:00080", "192.0.2.7:80"), ("[::ffff:192.0.2.7]:80", "192.0.2.7:80"),
        ("[0:0:0:0:0:ffff:c000:0207]:080", "192.0.2.7:80"),
        ("[2001:0DB8:0:0::0007]:80", "[2001:db8::7]:80"),
        ("[2001:db8:0:1:0:0:0:7]:80", "[2001:db8:0:1::7]:80"),
        ("[2001:db8:0:0:1:0:0:7]:80", "[2001:db8::1:0:0:7]:80"),
        ("[2001:db8:0:1:1:1:1:1]:80", "[2001:db8:0:1:1:1:1:1]:80"),
        ("[1:0:0:0:0:0:0:0]:80", "[1::]:80"), ("[::1]:80", "[::1]:80"), ("[::]:80", "[::]:80"),
        ("[2001:db8::192.0.2.7]:80", "[2001:db8::c000:207]:80"),
    ]

    @Test("One address has one spelling (RFC 5952, section 4)", arguments: spellings)
    func spelling(_ written: String, _ plain: String) {
        #expect(PeerAddress(written)?.description == plain)
    }

    @Test("Another spelling of an address that failed shortens no pause")
    func otherSpellings() {
        let node = Node(linkedWith: ["127.0.0.1:1"])
        let spellings = [
            "127.0.0.9:9", "127.0.0.9:09", "[::ffff:127.0.0.9]:9", "[::ffff:7f00:9]:9",
            "[0:0::ffff:127.0.0.9]:009",
        ]
        for (number, spelling) in spellings.enumerated() {
            node.tell(
                [Peers.Peer(node: Self.name(500 + number), addresses: [spelling], role: "peer")],
                by: "127.0.0.1:1")
        }
        node.run(seconds: 0.5)
        // The first pause is none.
        #expect(node.dialled.map(\.address) == ["127.0.0.9:9", "127.0.0.9:9"])
    }
}
