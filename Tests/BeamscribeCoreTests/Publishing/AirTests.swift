import Testing

@testable import BeamscribeCore

@Suite struct AirTests {
    private func claim(
        _ session: String, _ air: Int, rank: Int = 1, handTo: String? = nil, isFresh: Bool = true,
        isWithheld: Bool = false, at time: Double = 0
    ) -> AirClaim {
        AirClaim(
            session: session, label: session, deviceName: session, air: air, rank: rank,
            handTo: handTo, time: time, isWithheld: isWithheld, isFresh: isFresh)
    }

    private func standby(_ session: String = "b") -> Air {
        Air(of: session, rank: 1, isOn: false, now: .zero)
    }

    @Test func founder_isOnAir_whenNobodyElseIs() {
        var air = Air(of: "a", rank: 0, isOn: true, now: .zero)
        #expect(air.isOn && air.number == 1)
        #expect(air.look(at: [], inputLives: true, now: .seconds(60)) == nil)
        #expect(air.look(at: [claim("b", 0)], inputLives: true, now: .seconds(61)) == nil)
        #expect(air.isOn)
    }

    /// Somebody has made the highest number up, so that nobody can have a higher one.
    @Test func madeUpNumber_isGivenBack_onceWhoeverMadeItUpIsGone() {
        var host = Air(of: "a", rank: 0, isOn: true, now: .zero)
        var honest = standby("c")
        let evil = claim("b", Limits.air, at: 1)
        #expect(host.look(at: [evil], inputLives: true, now: .seconds(1)) == .off(evil))
        _ = honest.look(at: [evil], inputLives: true, now: .seconds(1))
        _ = host.take()
        #expect(host.look(at: [evil], inputLives: true, now: .seconds(2)) == nil)
        #expect(host.number == Limits.air && host.isMadeUp)
        let gone = claim("b", Limits.air, isFresh: false, at: 1)
        #expect(host.look(at: [gone], inputLives: true, now: .seconds(20)) == nil)
        #expect(host.number == 1 && !host.isMadeUp && host.brokenInvariant == nil)
        let founder = claim("a", host.number, rank: 0, at: 20)
        _ = honest.look(at: [founder, gone], inputLives: true, now: .seconds(21))
        _ = honest.take()
        #expect(honest.look(at: [founder, gone], inputLives: true, now: .seconds(22)) == nil)
        #expect(honest.number == 2)
        let taker = claim("c", honest.number, at: 22)
        #expect(host.look(at: [taker, gone], inputLives: true, now: .seconds(23)) == .off(taker))
        _ = host.take()
        #expect(host.look(at: [taker, gone], inputLives: true, now: .seconds(24)) == nil)
        #expect(host.number == 3)
    }

    @Test func standby_waits_whileAnotherIsHeardOnAir() {
        var air = standby()
        for second in 0..<100 {
            let change = air.look(
                at: [claim("a", 1, rank: 0)], inputLives: true, now: .seconds(second))
            #expect(change == nil)
        }
        #expect(!air.isOn)
    }

    @Test func standby_goesOnAir_onceTheOtherIsHeardNoMore() {
        var air = standby()
        let founder = claim("a", 3, rank: 0)
        _ = air.look(at: [founder], inputLives: true, now: .seconds(1))
        let gone = claim("a", 3, rank: 0, isFresh: false)
        let change = air.look(at: [gone], inputLives: true, now: .seconds(2))
        #expect(change == .on(.alone, after: founder))
        #expect(air.number == 4)
    }

    @Test func standby_doesNotGoOnAir_whereItHasNothingToSay() {
        var air = standby()
        _ = air.look(at: [claim("a", 1, rank: 0)], inputLives: false, now: .zero)
        #expect(air.look(at: [], inputLives: false, now: .seconds(100)) == nil)
        #expect(air.look(at: [], inputLives: true, now: .seconds(101)) != nil)
    }

    @Test func standby_listensFirst_whenItHasHeardNobody() {
        var air = standby()
        #expect(air.look(at: [], inputLives: true, now: .seconds(9)) == nil)
        #expect(
            air.look(at: [], inputLives: true, now: .seconds(10)) == .on(.alone, after: nil))
    }

    @Test func standby_waitsForItsOperator_whereTheOtherHadLetNothingOut() {
        var air = standby()
        let secret = claim("a", 1, rank: 0, isWithheld: true)
        _ = air.look(at: [secret], inputLives: true, now: .zero)
        #expect(air.look(at: [], inputLives: true, now: .seconds(20)) == .withheld(secret))
        #expect(air.look(at: [], inputLives: true, now: .seconds(90)) == nil)
        #expect(air.take() == .on(.taken, after: secret))
    }

    @Test func founder_waits_whenItComesBackToAnotherOnAir() {
        var air = Air(of: "a", rank: 0, isOn: true, now: .zero)
        let other = claim("b", 2)
        #expect(air.look(at: [other], inputLives: true, now: .zero) == .off(other))
        for second in 1..<60 {
            #expect(air.look(at: [other], inputLives: true, now: .seconds(second)) == nil)
        }
        #expect(air.take() == .on(.taken, after: other))
        #expect(air.number == 3)
        #expect(air.take() == nil)
    }

    @Test func founder_stays_whereAnotherHasTheSameNumber() {
        var air = Air(of: "z", rank: 0, isOn: true, now: .zero)
        #expect(air.look(at: [claim("b", 1)], inputLives: true, now: .zero) == nil)
        var other = standby()
        _ = other.take()
        let founder = claim("z", 1, rank: 0)
        #expect(other.look(at: [founder], inputLives: true, now: .zero) == .off(founder))
    }

    @Test func captions_goOver_onceTheOneThatIsNamedHasTakenThem() {
        var founder = Air(of: "a", rank: 0, isOn: true, now: .zero)
        var other = standby()
        let isHanding = founder.hand(to: "b", now: .zero)
        #expect(isHanding && founder.isOn)
        let head = claim("a", founder.number, rank: 0, handTo: founder.handTo)
        #expect(
            other.look(at: [head], inputLives: false, now: .seconds(1))
                == .on(.handed, after: head))
        let taken = claim("b", other.number)
        #expect(founder.look(at: [taken], inputLives: true, now: .seconds(1)) == .off(taken))
        #expect(founder.handTo == nil)
    }

    @Test func captions_stay_whereTheyAreNotTaken() {
        var founder = Air(of: "a", rank: 0, isOn: true, now: .zero)
        _ = founder.hand(to: "b", now: .zero)
        #expect(founder.look(at: [], inputLives: true, now: .seconds(9)) == nil)
        #expect(founder.look(at: [], inputLives: true, now: .seconds(10)) == .notTaken)
        #expect(founder.isOn && founder.handTo == nil)
    }

    @Test func captions_areNotHandedOver_byWhoeverDoesNotHaveThem() {
        var air = standby()
        let waits = air.hand(to: "a", now: .zero)
        _ = air.take()
        let toItself = air.hand(to: "b", now: .zero)
        #expect(!waits && !toItself)
    }

    /// A writer has said the highest number that there is: nobody can take a higher one.
    @Test func captions_goOver_alsoAtTheHighestNumber() {
        var founder = Air(of: "a", rank: 0, isOn: false, now: .zero)
        _ = founder.look(at: [claim("0", Limits.air)], inputLives: true, now: .seconds(1))
        _ = founder.take()
        #expect(founder.number == Limits.air)
        _ = founder.hand(to: "b", now: .seconds(2))
        let head = claim("a", founder.number, rank: 0, handTo: "b")
        var other = standby()
        let change = other.look(at: [head], inputLives: false, now: .seconds(3))
        #expect(change == .on(.handed, after: head) && other.number == Limits.air)
        for second in 4..<10 {
            let change = other.look(at: [head], inputLives: true, now: .seconds(second))
            #expect(change == nil && other.isOn)
        }
        let taken = claim("b", other.number)
        #expect(founder.look(at: [taken], inputLives: true, now: .seconds(4)) == .off(taken))
        // And back again.
        #expect(founder.take() == .on(.taken, after: taken))
        let back = claim("a", founder.number, rank: 0, at: 1)
        #expect(other.look(at: [back], inputLives: true, now: .seconds(11)) == .off(back))
    }

    /// Looks follow one another without a pause where each of them changes something.
    @Test(arguments: 0..<1_000)
    func looks_changeSomethingTwiceAtMost_whateverIsClaimed(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var air = Air(
            of: "b", rank: Int.random(in: 0...1, using: &generator),
            isOn: Bool.random(using: &generator), now: .zero)
        for round in 0..<20 {
            if Int.random(in: 0..<4, using: &generator) == 0 { _ = air.take() }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                _ = air.hand(to: "a", now: .seconds(100 * round))
            }
            let claims = ["0", "a", "c"].map { session in
                claim(
                    session,
                    [0, 1, 2, Limits.air - 1, Limits.air].randomElement(using: &generator)!,
                    rank: Int.random(in: 0...1, using: &generator),
                    handTo: [nil, "b", "a"].randomElement(using: &generator)!,
                    isFresh: Bool.random(using: &generator),
                    at: Double(Int.random(in: 0...3, using: &generator)))
            }
            let changes = (0..<10).count { _ in
                air.look(at: claims, inputLives: true, now: .seconds(100 * round + 20)) != nil
            }
            #expect(changes <= 2)
        }
    }

    /// He has gone, and his head holds for long by his own word.
    @Test func whoWasPreceded_keepsNobodyOffTheAir() {
        var air = standby()
        let absent = claim("c", 2)
        let founder = claim("a", 3, rank: 0)
        _ = air.look(at: [absent, founder], inputLives: true, now: .seconds(20))
        let gone = claim("a", 3, rank: 0, isFresh: false)
        #expect(
            air.look(at: [absent, gone], inputLives: true, now: .seconds(30))
                == .on(.alone, after: founder))
        #expect(air.look(at: [absent, gone], inputLives: true, now: .seconds(31)) == nil)
        // A newer head says that he is there.
        var other = standby()
        _ = other.look(at: [absent, founder], inputLives: true, now: .seconds(20))
        let there = claim("c", 2, at: 1)
        #expect(other.look(at: [there, gone], inputLives: true, now: .seconds(30)) == nil)
    }

    @Test func headOfOneWhoWaits_handsNothingOver() {
        var air = standby()
        let leading = claim("a", 2, rank: 0)
        let waiting = claim("c", 0, handTo: "b")
        let older = claim("d", 1, handTo: "b")
        #expect(
            air.look(at: [leading, waiting, older], inputLives: true, now: .zero) == nil)
    }

    @Test func numberThatLeavesNoRoom_countsForNothing() {
        var air = standby()
        _ = air.look(at: [claim("a", .max, rank: 0)], inputLives: true, now: .seconds(10))
        #expect(air.number == 1)
        _ = air.look(at: [claim("a", Limits.air, rank: 0)], inputLives: true, now: .seconds(11))
        #expect(!air.isOn)
        _ = air.take()
        #expect(air.number == Limits.air)
    }

    // MARK: Worlds

    /// Captioners who hear each other's heads late, or not at all.
    private struct World {
        struct Heard {
            var claim: AirClaim
            var at: Int
        }

        var captioners: [Air]
        /// What each has heard of each other.
        var heard: [[Heard?]]
        var generator: SeededGenerator
        var cut: Set<Int> = []
        var dead: Set<Int> = []
        let count: Int

        init(seed: UInt64) {
            generator = SeededGenerator(seed: seed)
            count = Int.random(in: 2...5, using: &generator)
            captioners = (0..<count).map {
                Air(of: "\($0)", rank: $0 == 0 ? 0 : 1, isOn: $0 == 0, now: .zero)
            }
            heard = Array(repeating: Array(repeating: nil, count: count), count: count)
        }

        mutating func pass(second: Int, isQuiet: Bool) {
            if !isQuiet { disturb() }
            for sender in 0..<count where !dead.contains(sender) {
                for receiver in 0..<count where receiver != sender {
                    let isCut = !isQuiet && cut.contains(min(sender, receiver))
                    if isCut || Int.random(in: 0..<4, using: &generator) == 0 { continue }
                    let air = captioners[sender]
                    heard[receiver][sender] = Heard(
                        claim: AirClaim(
                            session: "\(sender)", label: "", deviceName: "", air: air.number,
                            rank: sender == 0 ? 0 : 1, handTo: air.handTo,
                            time: Double(second), isWithheld: false, isFresh: true),
                        at: second)
                }
            }
            for index in 0..<count where !dead.contains(index) {
                let claims = heard[index].compactMap { heard -> AirClaim? in
                    guard var claim = heard?.claim, let at = heard?.at else { return nil }
                    claim.isFresh = second - at <= 10
                    return claim
                }
                _ = captioners[index].look(
                    at: claims, inputLives: true, now: .seconds(second))
            }
        }

        private mutating func disturb() {
            let index = Int.random(in: 0..<count, using: &generator)
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: cut = cut.isEmpty ? [index] : []
            case 1: dead = dead.isEmpty ? [index] : []
            case 2: _ = captioners[index].take()
            case 3:
                let other = Int.random(in: 0..<count, using: &generator)
                let second = Int.random(in: 0..<100, using: &generator)
                _ = captioners[index].hand(to: "\(other)", now: .seconds(second))
            default: break
            }
        }
    }

    @Test(arguments: 0..<500)
    func oneIsOnAir_whenAWorldIsQuiet(seed: UInt64) {
        var world = World(seed: seed)
        for second in 0..<200 {
            world.pass(second: second, isQuiet: false)
            #expect(world.captioners.allSatisfy { $0.brokenInvariant == nil })
        }
        for second in 200..<260 { world.pass(second: second, isQuiet: true) }
        let settled = world.captioners
        for second in 260..<300 { world.pass(second: second, isQuiet: true) }
        let living = (0..<world.count).filter { !world.dead.contains($0) }
        #expect(living.filter { world.captioners[$0].isOn }.count == 1)
        #expect(world.captioners.map(\.isOn) == settled.map(\.isOn))
    }
}
