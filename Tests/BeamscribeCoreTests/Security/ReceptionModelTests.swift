import BeamscribeCore
import Testing

@Suite struct ReceptionModelTests {
    @Test func reception_doesAsTheModel_whateverHappens() {
        var seen = Seen()
        for seed in UInt64(0)..<40 {
            var run = Run(seed: 1_000 + seed)
            for _ in 0..<500 {
                run.step()
                if run.isAsTheModel { continue }
                Issue.record("seed \(seed): not as the model after \(run.last)")
                return
            }
            seen.add(run.seen)
        }
        #expect(seen.sentAway > 1_000 && seen.waited > 50 && seen.overdue > 1_000)
    }

    /// How often what matters has happened.
    private struct Seen {
        var (sentAway, waited, overdue) = (0, 0, 0)

        mutating func add(_ other: Seen) {
            sentAway += other.sentAway
            waited += other.waited
            overdue += other.overdue
        }
    }

    /// A reception and its model, to which the same happens.
    private struct Run {
        let desk: Desk
        var model: ReceptionModel
        var generator: SeededGenerator
        var now = Duration.seconds(1_000)
        var nextID = 0
        /// The longest time between two events, in milliseconds.
        let pace: Int
        var last = ""
        var agrees = true
        var seen = Seen()

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            let limits = (
                silent: Int.random(in: 1...20, using: &generator),
                speaking: Int.random(in: 1...10, using: &generator)
            )
            pace = seed.isMultiple(of: 2) ? 30 : 300
            desk = Desk(silent: limits.silent, speaking: limits.speaking)
            model = ReceptionModel(limits: limits)
            self.generator = generator
        }

        var isAsTheModel: Bool {
            let machine = desk.machine
            return agrees && machine.silentCount == model.strangers.count { !$0.isSpeaking }
                && machine.speakingCount == model.strangers.count { $0.isSpeaking }
                && machine.nextDeadline == model.strangers.map(\.deadline).min()
        }

        mutating func step() {
            now += .milliseconds(Int.random(in: 0...pace, using: &generator))
            let recent = max(0, nextID - 25)
            let id = Int.random(in: recent...(nextID + 1), using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case ..<50: arrive()
            case ..<73: begin(id)
            case ..<88: hurry()
            case ..<92: leave(id)
            case ..<99: lookForOverdue()
            default: now += .seconds(30)
            }
        }

        private mutating func arrive() {
            nextID += 1
            // The first sources come most often.
            let most = Int.random(in: 1...8, using: &generator)
            let source = "source \(Int.random(in: 0..<most, using: &generator))"
            last = "arrival from \(source)"
            let arrival = desk.arrive(nextID, from: source, now)
            agrees = arrival == model.arrived(nextID, from: source, now)
            if case .wait(_?) = arrival { seen.sentAway += 1 }
        }

        private mutating func begin(_ id: ConnectionID) {
            last = "beginning of \(id)"
            let beginning = desk.begin(id, now)
            agrees = beginning == model.begin(id, now) && beginning != .now(sendingAway: id)
            if case .now(_?) = beginning { seen.sentAway += 1 }
            if case .later = beginning { seen.waited += 1 }
        }

        private mutating func hurry() {
            let source = "source \(Int.random(in: 0..<8, using: &generator))"
            last = "door closed to \(source)"
            desk.hurry(source, now)
            model.hurry(source, now)
        }

        private mutating func leave(_ id: ConnectionID) {
            last = "leaving of \(id)"
            if Bool.random(using: &generator) { desk.left(id) } else { desk.admitted(id) }
            model.left(id)
        }

        private mutating func lookForOverdue() {
            last = "look for overdue ones"
            let overdue = desk.overdue(now)
            agrees = Set(overdue) == model.overdue(now)
            seen.overdue += overdue.count
        }
    }
}
