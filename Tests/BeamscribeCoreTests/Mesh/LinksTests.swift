import Testing

@testable import BeamscribeCore

@Suite("Whom a mesh's node dials")
struct LinksTests {
    private func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }

    /// Knows nodes of these numbers.
    private func links(of own: Int, knowing others: [Int], now: Duration = .zero) -> Links {
        let links = Links(of: name(own), Timing(), signing: ToyCrypto(), seed: 1)
        for number in others {
            links.heard(of: name(number), at: ["192.0.2.\(number):1"], now: now)
        }
        return links
    }

    private func fingerprint(_ digit: Character) -> Fingerprint {
        Fingerprint(hex: String(repeating: digit, count: 64))!
    }

    /// Whom it dials now, by their numbers, and by which link.
    private func dialled(_ actions: [Links.Action]) -> [Int: Int] {
        actions.reduce(into: [:]) { dialled, action in
            if case .dial(let link, let addresses) = action {
                dialled[Int(bounded: addresses[0].dropFirst(8).dropLast(2))!] = link
            }
        }
    }

    @Test("The lower dials at once, and the higher after 5 s without a link")
    func order() {
        let links = links(of: 5, knowing: [3, 7])
        #expect(dialled(links.tick(now: .zero)).keys.sorted() == [7])
        #expect(dialled(links.tick(now: .seconds(saturating: 4.9))).isEmpty)
        #expect(links.nextDeadline == .seconds(5))
        #expect(dialled(links.tick(now: .seconds(5))).keys.sorted() == [3])
    }

    @Test("A node that has been let in is not dialled")
    func accepted() {
        let links = links(of: 5, knowing: [3])
        #expect(links.refusal(of: name(3)) == nil)
        links.accept(name(3), called: "Three", by: 1, now: .seconds(1))
        #expect(dialled(links.tick(now: .seconds(60))).isEmpty)
        links.left(1, now: .seconds(60))
        // It is the other's turn again.
        #expect(dialled(links.tick(now: .seconds(64))).isEmpty)
        #expect(dialled(links.tick(now: .seconds(65))).keys.sorted() == [3])
    }

    @Test("Of two links that of the lower stays, whichever stands first", arguments: [false, true])
    func duplicates(lowerStandsFirst: Bool) {
        let (low, high) = (links(of: 1, knowing: [2]), links(of: 2, knowing: [1]))
        let down = dialled(low.tick(now: .zero))[2]!
        let up = dialled(high.tick(now: .seconds(5)))[1]!
        if lowerStandsFirst {
            _ = low.accepted(down, by: name(2), called: "", now: .seconds(5))
            #expect(low.refusal(of: name(1 + 1)) == .duplicate)
            high.accept(name(1), called: "", by: 9, now: .seconds(5))
            #expect(high.takeUnsaid().contains(.hangUp(up)))
        } else {
            #expect(low.refusal(of: name(2)) == nil)
            low.accept(name(2), called: "", by: 9, now: .seconds(5))
            _ = high.accepted(up, by: name(1), called: "", now: .seconds(5))
            #expect(high.refusal(of: name(1)) == nil)
            high.accept(name(1), called: "", by: 8, now: .seconds(6))
            #expect(high.takeUnsaid().contains(.hangUp(up)))
            _ = low.accepted(down, by: name(2), called: "", now: .seconds(6))
            #expect(low.takeSurplus() == [9])
        }
    }

    @Test("Nobody is linked with twice, nor with himself")
    func oneself() {
        let links = links(of: 1, knowing: [1, 2])
        #expect(links.peers.map(\.node) == [name(2)])
        #expect(links.refusal(of: name(1)) == .duplicate)
        links.accept(name(2), called: "", by: 1, now: .zero)
        #expect(links.refusal(of: name(2)) == .duplicate)
        // An address turns out to be one's own.
        links.heard(of: nil, at: ["198.51.100.1:1"], now: .zero)
        let actions = links.tick(now: .zero)
        guard
            case .dial(let link, _)? = actions.first(where: {
                if case .dial = $0 { true } else { false }
            })
        else { return #expect(Bool(false), "nobody was dialled") }
        #expect(links.accepted(link, by: name(1), called: "", now: .zero) == [.hangUp(link)])
        #expect(dialled(links.tick(now: .seconds(60))).isEmpty)
    }

    @Test("Beyond nine nodes a node wants the four before it and the four behind it")
    func ring() {
        let links = links(of: 10, knowing: Array(1...9) + Array(11...20))
        var all = Set(dialled(links.tick(now: .zero)).keys)
        #expect(all == [11, 12, 13, 14])
        all.formUnion(dialled(links.tick(now: .seconds(5))).keys)
        #expect(all == [6, 7, 8, 9, 11, 12, 13, 14])
        // At its end the ring goes on at its beginning.
        let last = self.links(of: 20, knowing: Array(1...19))
        _ = last.tick(now: .zero)
        #expect(Set(dialled(last.tick(now: .seconds(5))).keys) == [1, 2, 3, 4, 16, 17, 18, 19])
    }

    @Test("Where a neighbour does not answer the next one is wanted as well")
    func substitutes() {
        let links = links(of: 10, knowing: Array(11...20) + Array(1...9))
        let first = dialled(links.tick(now: .zero))
        _ = links.ended(first[11]!, now: .seconds(1))
        #expect(dialled(links.tick(now: .seconds(1))).keys.contains(15))
    }

    @Test("Who is gone is dialled again and again, with pauses")
    func pauses() {
        let links = links(of: 1, knowing: [2])
        var (now, tries) = (Duration.zero, [Double]())
        while now < .seconds(3_600) {
            for (_, link) in dialled(links.tick(now: now)) {
                tries.append(now.seconds)
                _ = links.ended(link, now: now)
            }
            now += .milliseconds(100)
        }
        let pauses = zip(tries.dropFirst(), tries).map { $0 - $1 }
        #expect(pauses.prefix(6).last! > 7 && pauses.allSatisfy { $0 <= 12.2 })
        #expect(tries.count > 290)
        #expect(links.peers.map(\.state) == [.discovered])
    }

    @Test("States: connecting, syncing, stable after 4 s; unstable, or lost, once it is gone")
    func states() {
        let links = links(of: 1, knowing: [2])
        let link = dialled(links.tick(now: .zero))[2]!
        #expect(links.peers[0].state == .connecting)
        _ = links.accepted(link, by: name(2), called: "Two", now: .seconds(1))
        #expect(links.peers[0] == MeshPeer(node: name(2), name: "Two", state: .syncing))
        _ = links.tick(now: .seconds(5))
        #expect(links.peers[0].state == .stable)
        _ = links.ended(link, now: .seconds(60))
        #expect(links.peers[0].state == .lost)
        let again = dialled(links.tick(now: .seconds(60)))[2]!
        _ = links.accepted(again, by: name(2), called: "Two", now: .seconds(60))
        _ = links.ended(again, now: .seconds(62))
        #expect(links.peers[0].state == .unstable)
    }

    @Test("A crowd of names takes nobody's place, and no more than there is")
    func crowd() {
        let links = links(of: 1, knowing: [2])
        let link = dialled(links.tick(now: .zero))[2]!
        _ = links.accepted(link, by: name(2), called: "", now: .zero)
        for number in 100..<300 {
            links.heard(of: name(number), at: ["203.0.113.1:1"], now: .zero)
        }
        #expect(links.peers.count == Limits.nodes)
        #expect(links.peers[0].state == .syncing)
        // Those who never answered make room for one who has just been heard.
        for action in links.tick(now: .seconds(1)) {
            if case .dial(let link, _) = action { _ = links.ended(link, now: .seconds(1)) }
        }
        links.heard(of: name(400), at: ["192.0.2.9:1"], now: .seconds(2))
        #expect(links.peers.contains { $0.node == name(400) })
    }

    @Test("Who is here himself finds a place among those who are not", arguments: [true, false])
    func newcomer(amongNames: Bool) {
        let links = links(of: 1, knowing: [2])
        links.accept(name(2), called: "", by: 2, now: .zero)
        for number in 100..<300 {
            if amongNames {
                links.heard(of: name(number), at: ["203.0.113.1:1"], now: .zero)
            } else if links.refusal(of: name(number)) == nil {
                links.accept(name(number), called: "", by: ConnectionID(number), now: .zero)
                links.left(ConnectionID(number), now: .seconds(1))
            }
        }
        #expect(links.refusal(of: name(400)) == nil)
        links.accept(name(400), called: "", by: 400, now: .seconds(2))
        let linked = links.peers.filter(\.isLinked).map(\.node)
        #expect(linked == [name(2), name(400)])
        #expect(links.peers.count <= Limits.nodes)
    }

    @Test(
        "Ever new ids of a stranger, each with an address, take no place of a node that took part",
        arguments: ["198.51.100.1", "192.0.2.2"])
    func shortLived(source: String) {
        let links = links(of: 1, knowing: [])
        func visit(_ number: Int, from source: String, for stay: Duration, at now: Duration) {
            guard links.refusal(of: name(number)) == nil else {
                return #expect(Bool(false), "\(number) was refused")
            }
            let connection = ConnectionID(number)
            links.accept(name(number), called: "", by: connection, from: source, now: now)
            links.told(
                of: name(number), at: ["\(source):\(number)"], by: "\(source):40000",
                isOwnWord: true, now: now)
            links.left(connection, now: now + stay)
        }
        visit(2, from: "192.0.2.2", for: .seconds(60), at: .zero)
        for number in 100..<400 {
            visit(number, from: source, for: .seconds(1), at: .seconds(number))
        }
        #expect(links.peers.contains { $0.node == name(2) })
        #expect(links.peers.count == Limits.nodes)
        // Nor do they take its turn.
        var addresses: Set<String> = []
        for second in 401...420 {
            for case .dial(let link, let dialled) in links.tick(now: .seconds(second)) {
                addresses.formUnion(dialled)
                _ = links.ended(link, now: .seconds(second))
            }
        }
        #expect(addresses.contains("192.0.2.2:2"))
    }

    @Test(
        "A node whose links held is wanted, though others have ids next to this one's",
        arguments: [1, 90])
    func surrounded(own: Int) {
        let links = links(of: own, knowing: [])
        func accept(_ number: Int, at now: Duration) {
            links.accept(
                name(number), called: "", by: ConnectionID(number), from: "192.0.2.\(number)",
                now: now)
            links.told(
                of: name(number), at: ["192.0.2.\(number):1"], by: "192.0.2.\(number):40000",
                isOwnWord: true, now: now)
        }
        accept(50, at: .zero)
        links.left(50, now: .seconds(60))
        for number in 2...9 { accept(number, at: .seconds(60)) }
        for number in 91...98 { accept(number, at: .seconds(60)) }
        #expect(dialled(links.tick(now: .seconds(70))).keys.sorted() == [50])
    }

    @Test("An address that was given means the node that was met there")
    func given() {
        let links = links(of: 1, knowing: [])
        links.heard(of: nil, at: ["192.0.2.2:1"], now: .zero)
        let link = dialled(links.tick(now: .zero))[2]!
        _ = links.accepted(link, by: name(2), called: "", now: .zero)
        links.heard(of: nil, at: ["192.0.2.2:1"], now: .seconds(15))
        #expect(dialled(links.tick(now: .seconds(15))).isEmpty)
        #expect(links.peers.map(\.node) == [name(2)])
    }

    @Test("One who answers by another name each time is known by no more than there is room for")
    func names() {
        let links = links(of: 1, knowing: [2, 9])
        links.accept(name(2), called: "", by: 2, now: .zero)
        var now = Duration.zero
        for number in 100..<300 {
            now += .seconds(20)
            for (_, link) in dialled(links.tick(now: now)) {
                _ = links.accepted(link, by: name(number), called: "", now: now)
                _ = links.ended(link, now: now)
            }
        }
        #expect(links.peers.count <= Limits.nodes)
        #expect(links.peers.first?.isLinked == true)
    }

    @Test("Who has come and gone, and cannot be dialled, is no neighbour")
    func ghosts() {
        let links = links(of: 10, knowing: [1, 2, 3])
        for number in [6, 7, 8, 9, 11, 12, 13, 14] {
            links.accept(name(number), called: "", by: ConnectionID(number), now: .zero)
            links.left(ConnectionID(number), now: .seconds(1))
        }
        #expect(dialled(links.tick(now: .seconds(10))).keys.sorted() == [1, 2, 3])
    }

    @Test("Who says another's id, and has not his key, ends no link of his", arguments: [1, 9])
    func anothersName(own: Int) {
        let (hers, other) = (fingerprint("1"), fingerprint("2"))
        let dialling = links(of: own, knowing: [5])
        let link = dialled(dialling.tick(now: .seconds(5)))[5]!
        _ = dialling.accepted(link, by: name(5), called: "", as: hers, now: .seconds(5))
        #expect(dialling.refusal(of: name(5), as: other) == .duplicate)
        #expect(dialling.refusal(of: name(5)) == .duplicate)
        #expect((dialling.refusal(of: name(5), as: hers) == nil) == (own > 5))

        let dialled = links(of: own, knowing: [])
        dialled.accept(name(5), called: "", as: hers, by: 1, now: .zero)
        dialled.heard(of: nil, at: ["192.0.2.7:1"], now: .zero)
        let impostor = self.dialled(dialled.tick(now: .zero))[7]!
        #expect(
            dialled.accepted(impostor, by: name(5), called: "", as: other, now: .zero)
                .contains(.hangUp(impostor)))
        #expect(dialled.takeSurplus() == [])
        #expect(dialled.peers.map(\.isLinked) == [true])
    }
}
