import BeamscribeCore
import Testing

@Suite struct CodeDeskTests {
    /// A desk whose invariant is checked after each call.
    private final class Counter {
        var machine = CodeDesk(timeout: .seconds(10), seed: 1, limit: 64)
        private var nextID = 0

        func arrive(_ source: String, _ now: Duration = .zero) -> ConnectionID {
            defer { check() }
            nextID += 1
            _ = machine.arrived(nextID, from: source, now: now)
            return nextID
        }

        /// A guest comes and guesses; the answer tells whether it may.
        func guess(_ source: String, _ now: Duration = .zero) -> (
            id: ConnectionID, isAnswered: Bool
        ) {
            defer { check() }
            let id = arrive(source, now)
            machine.guessed(id)
            return (id, machine.mayGuess(atMost: .max, now: now).contains(id))
        }

        /// The same with a wrong code; nil where there was no answer.
        func fail(_ source: String, _ now: Duration) -> Bool? {
            defer { check() }
            let (id, isAnswered) = guess(source, now)
            let isCounted = machine.left(id, now: now)
            #expect(isCounted == isAnswered)
            return isAnswered ? !machine.takeClosures().isEmpty : nil
        }

        func ready(_ now: Duration = .zero) -> [ConnectionID] {
            defer { check() }
            return machine.mayGuess(atMost: .max, now: now)
        }

        func check() {
            if let broken = machine.brokenInvariant { Issue.record("\(broken)") }
        }
    }

    @Test func door_closes_withTheFifthWrongCodeOfAMinute_andOpensAfterOne() {
        let desk = Counter()
        for number in 1...4 { #expect(desk.fail("a", .seconds(number)) == false) }
        #expect(desk.fail("a", .seconds(5)) == true)
        #expect(desk.machine.isClosed("a", now: .seconds(65) - .nanoseconds(1)))
        #expect(!desk.machine.isClosed("b", now: .seconds(6)))
        #expect(!desk.machine.isClosed("a", now: .seconds(65)))
        // It begins anew.
        #expect(desk.fail("a", .seconds(65)) == false)
        #expect(desk.machine.wrongCodes == 6)
    }

    @Test func door_staysOpen_whenWrongCodesComeSlowly() {
        let desk = Counter()
        for number in 1...200 { #expect(desk.fail("a", .seconds(number * 15)) == false) }
    }

    /// However many guess at a time, a source has five answers until the door closes.
    @Test func source_hasFiveAnswers_howeverManyGuessAtATime() {
        let desk = Counter()
        let guesses = (0..<40).map { _ in desk.guess("a") }
        #expect(guesses.filter(\.isAnswered).count == 5)
        let other = desk.guess("b")
        #expect(other.isAnswered)
        for guess in guesses.prefix(5) { desk.machine.left(guess.id, now: .seconds(1)) }
        #expect(desk.machine.takeClosures() == ["a"])
        #expect(desk.ready(.seconds(1)).isEmpty)
        #expect(Set(desk.machine.overdue(now: .seconds(1))) == Set(guesses.dropFirst(5).map(\.id)))
        #expect(desk.machine.wrongCodes == 5 && desk.machine.count == 1)
    }

    /// Behind one address there may be a whole room.
    @Test func everybody_hasItsTurn_whereAllKnowTheCode() {
        let desk = Counter()
        var waiting = (0..<60).map { _ in desk.guess("relay").id }
        var proved = 0
        var ready = Array(waiting.prefix(5))
        while !ready.isEmpty {
            for id in ready { desk.machine.proved(id) }
            proved += ready.count
            waiting.removeAll(where: ready.contains)
            ready = desk.ready()
            #expect(ready == Array(waiting.prefix(5)), "In order.")
        }
        #expect(proved == 60 && desk.machine.wrongCodes == 0 && desk.machine.count == 0)
    }

    @Test func guestsWithTheCode_haveTheirTurn_besideWrongOnes() {
        let desk = Counter()
        for _ in 0..<4 { #expect(desk.fail("relay", .zero) == false) }
        let (first, second) = (desk.guess("relay"), desk.guess("relay"))
        #expect(first.isAnswered && !second.isAnswered, "One more may be wrong.")
        desk.machine.proved(first.id)
        #expect(desk.ready() == [second.id])
    }

    @Test func guess_isCounted_howeverItsConnectionEnds() {
        for end in 0..<3 {
            let desk = Counter()
            for number in 0..<5 {
                let (id, isAnswered) = desk.guess("a", .seconds(number))
                #expect(isAnswered)
                switch end {
                case 0: desk.machine.left(id, now: .seconds(number))
                case 1: #expect(desk.machine.overdue(now: .seconds(number + 10)) == [id])
                // It comes again under the same number, which the driver never does.
                default: _ = desk.machine.arrived(id, from: "b", now: .seconds(number))
                }
            }
            #expect(desk.machine.takeClosures() == ["a"], "\(end)")
        }
    }

    @Test func nothing_isCounted_beforeTheAnswer() {
        let desk = Counter()
        for number in 0..<100 {
            let id = desk.arrive("a", .seconds(number / 10))
            if number.isMultiple(of: 2) { desk.machine.guessed(id) }
            let isCounted = desk.machine.left(id, now: .seconds(number / 10))
            #expect(!isCounted)
        }
        #expect(desk.machine.wrongCodes == 0)
    }

    @Test func answers_areLimited_andNobodyIsForgotten() {
        let desk = Counter()
        let ids = (0..<20).map { desk.arrive("\($0)") }
        for id in ids { desk.machine.guessed(id) }
        var answered: [ConnectionID] = []
        while case let next = desk.machine.mayGuess(atMost: 3, now: .zero), !next.isEmpty {
            #expect(next.count <= 3)
            answered += next
        }
        #expect(answered == ids)
    }

    @Test func mostEager_givesWay_whereThereAreTooMany() {
        let desk = Counter()
        for _ in 0..<40 { _ = desk.arrive("flood") }
        for number in 0..<40 { _ = desk.arrive("honest \(number)") }
        #expect(desk.machine.count == 64)
        var flood = 0
        for id in 1...40 where desk.machine.left(id, now: .zero) { flood += 1 }
        #expect(flood == 0 && desk.machine.count == 40, "No honest one had to go.")
    }

    /// A room that comes at once from behind one relay: who is about to be let in is not sent away,
    /// and nobody's guess counts as wrong for the crowd.
    @Test func newest_givesWay_whereOneSourceBringsTooMany() {
        let desk = Counter()
        let first = (0..<64).map { _ in desk.guess("relay") }
        for _ in 0..<40 { _ = desk.arrive("relay") }
        #expect(desk.machine.count == 64 && desk.machine.wrongCodes == 0)
        #expect(first.filter(\.isAnswered).count == 5)
        for guess in first.prefix(5) { desk.machine.proved(guess.id) }
        #expect(desk.ready() == first[5..<10].map(\.id))
    }

    @Test func wrongCode_isHeldAgainstItsSource_howeverManyOthersFail() {
        let desk = Counter()
        for _ in 0..<5 { _ = desk.fail("a", .seconds(1)) }
        for number in 0..<5_000 {
            _ = desk.fail("\(number)", .seconds(2) + .microseconds(number))
        }
        #expect(desk.machine.isClosed("a", now: .seconds(3)))
        #expect(desk.machine.brokenInvariant == nil)
    }

    /// Random calls: the invariant holds, and no source ever has more than five wrong answers within
    /// a minute.
    @Test func desk_holdsItsPromise_whateverHappens() {
        for seed in UInt64(0)..<60 {
            var generator = SeededGenerator(seed: seed)
            let desk = Counter()
            var now = Duration.zero
            var here: [(id: ConnectionID, source: String)] = []
            var answered: Set<ConnectionID> = []
            var wrong: [String: [Duration]] = [:]
            let settle = { (id: ConnectionID) in
                guard let index = here.firstIndex(where: { $0.id == id }) else { return }
                let source = here.remove(at: index).source
                if answered.remove(id) != nil { wrong[source, default: []].append(now) }
            }
            for _ in 0..<400 {
                now += .milliseconds(Int.random(in: 0...2_000, using: &generator))
                let someone = here.randomElement(using: &generator)?.id ?? 0
                switch Int.random(in: 0..<10, using: &generator) {
                case ..<4:
                    let source = "\(Int.random(in: 0..<4, using: &generator))"
                    guard !desk.machine.isClosed(source, now: now) else { continue }
                    here.append((desk.arrive(source, now), source))
                    desk.machine.guessed(here[here.count - 1].id)
                case ..<7: answered.formUnion(desk.ready(now))
                case 7:
                    desk.machine.proved(someone)
                    answered.remove(someone)
                    here.removeAll { $0.id == someone }
                case 8:
                    desk.machine.left(someone, now: now)
                    settle(someone)
                default: desk.machine.overdue(now: now).forEach(settle)
                }
                desk.check()
            }
            for times in wrong.values {
                for (index, time) in times.enumerated() where index >= 5 {
                    #expect(time - times[index - 5] >= .seconds(60) - .seconds(10), "seed \(seed)")
                }
            }
        }
    }
}
