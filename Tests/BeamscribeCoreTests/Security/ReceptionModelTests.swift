import BeamscribeCore
import Testing

@Suite struct ReceptionModelTests {
    @Test func reception_doesAsTheModel_whateverHappens() {
        var seen = Seen()
        for seed in UInt64(0)..<60 {
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
        var machine: Reception
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
            var places = Reception.Places()
            places.silent = Int.random(in: 1...20, using: &generator)
            places.waiting = Int.random(in: 1...20, using: &generator)
            places.speaking = Int.random(in: 1...10, using: &generator)
            pace = seed.isMultiple(of: 2) ? 30 : 300
            machine = Reception(timeout: .seconds(10), seed: seed, places: places)
            model = ReceptionModel(places: places)
            self.generator = generator
        }

        var isAsTheModel: Bool {
            agrees && machine.brokenInvariant == nil
                && machine.silentCount == model.count(.silent)
                && machine.waitingCount == model.count(.waiting)
                && machine.speakingCount == model.count(.speaking)
                && machine.nextDeadline == model.nextDeadline
        }

        mutating func step() {
            now += .milliseconds(Int.random(in: 0...pace, using: &generator))
            let recent = max(0, nextID - 25)
            let id = Int.random(in: recent...(nextID + 1), using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case ..<35: arrive()
            case ..<60: speak(id)
            case ..<80: begin()
            case ..<82: hurry()
            case ..<89: arrive()
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
            machine.arrived(nextID, from: source, now: now)
            model.arrived(nextID, from: source, now)
            sendAway(machine.silentSurplus(), oneOf: model.silentSurplus)
        }

        private mutating func speak(_ id: ConnectionID) {
            last = "word of \(id)"
            machine.spoke(id, now: now)
            model.spoke(id, now)
            sendAway(machine.waitingSurplus(), oneOf: model.waitingSurplus)
        }

        private mutating func sendAway(_ id: ConnectionID?, oneOf allowed: [ConnectionID]) {
            agrees = agrees && id.map { allowed.contains($0) } ?? allowed.isEmpty
            guard let id else { return }
            seen.sentAway += 1
            machine.left(id)
            model.left(id)
        }

        private mutating func begin() {
            let beginning = machine.next(now: now)
            last = "\(beginning)"
            agrees = model.allows(beginning, now)
            if case .now(_, _?) = beginning { seen.sentAway += 1 }
            if case .later = beginning { seen.waited += 1 }
        }

        private mutating func hurry() {
            let source = "source \(Int.random(in: 0..<8, using: &generator))"
            last = "door closed to \(source)"
            machine.hurry(source, now: now)
            model.hurry(source, now)
        }

        private mutating func leave(_ id: ConnectionID) {
            last = "leaving of \(id)"
            if Bool.random(using: &generator) { machine.left(id) } else { machine.admitted(id) }
            model.left(id)
        }

        private mutating func lookForOverdue() {
            last = "look for overdue ones"
            let overdue = machine.overdue(now: now)
            agrees = overdue == model.overdue(now)
            seen.overdue += overdue.count
        }
    }
}
