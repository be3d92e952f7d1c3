import BeamscribeCore
import Testing

/// The small machines that watch over an event.
@Suite struct ReliabilityMachineTests {
    // MARK: Runs

    @Test(arguments: [
        (after: [0], through: 50, run: 1, valid: 50),
        (after: [0, 40], through: 50, run: 1, valid: 40),
        (after: [0, 40], through: 50, run: 2, valid: 50),
        (after: [0, 40], through: 30, run: 1, valid: 30),
        (after: [0, 40, 35], through: 50, run: 1, valid: 35),
        (after: [0, 40, 60], through: 50, run: 2, valid: 50),
        (after: [0, 40, 60], through: 70, run: 2, valid: 60),
        (after: [0, 40], through: 50, run: 9, valid: 50),
        (after: [0, 40], through: 50, run: -1, valid: 40),
    ])
    func linesOfAnEarlierRun_count_asFarAsLaterRunsHadThem(
        after: [Int], through: Int, run: Int, valid: Int
    ) {
        let runs = SessionRuns(after: after)
        #expect(runs?.valid(through: through, of: run) == valid)
    }

    @Test func runs_areNone_whereTheyMakeNoSense() {
        #expect(SessionRuns(after: []) == nil)
        #expect(SessionRuns(after: [3]) == nil)
        #expect(SessionRuns(after: [0, -1]) == nil)
        #expect(SessionRuns().valid(through: 7, of: nil) == 7)
    }

    @Test func runs_shareTheLastNumber_whereThereAreTooMany() {
        var runs = SessionRuns()
        var record = SessionRecord(session: "s", eventName: "e", deviceName: "d", started: 1)
        for start in 1...Limits.runs + 50 {
            // Some hosts come back without the newest lines.
            let after = start % 7 == 0 ? start * 10 - 15 : start * 10
            runs.begin(after: after)
            record.begin(at: Double(start), after: after, offset: UInt64(clamping: start))
            #expect(runs.current == min(start + 1, Limits.runs))
        }
        #expect(record.sessionRuns == runs && record.json.count < 250_000)
        #expect(record.runs.last?.started == Double(Limits.runs + 50))
        let (last, newest) = (Limits.runs, Limits.runs * 10 + 500)
        #expect(runs.valid(through: 15, of: 2) == 15, "early runs are told apart as ever")
        #expect(runs.valid(through: newest, of: last - 1) == (last - 1) * 10)
        #expect(runs.valid(through: newest, of: last) == (last - 1) * 10)
        #expect(runs.valid(through: newest, of: nil) == (last - 1) * 10)
        let told = SessionRuns(after: (0..<last + 9).map { $0 * 10 })
        #expect(told?.current == last && told?.currentBegan == (last - 1) * 10)
    }

    // MARK: Record

    @Test func record_comesBack_fromItsJSON() {
        var record = SessionRecord(
            session: "6f1c1f0e-5b0f-4c3b-8a53-0123456789ab", eventName: "Früh\u{1F389}",
            deviceName: "stage", started: 1_800_000_000.25)
        record.port = 23_267
        record.begin(at: 1_800_000_100, after: 12, offset: 4_096)
        #expect(SessionRecord(json: record.json) == record)
        record.hasCode = true
        #expect(SessionRecord(json: record.json) == record)
        #expect(record.sessionRuns?.after == [0, 12])
        #expect(SessionRecord(json: Array("{}".utf8)) == nil)
        #expect(SessionRecord(json: Array(record.json.dropLast(9))) == nil)
    }

    @Test func record_takesOverRuns_thatItLacks_andNoOthers() throws {
        var record = SessionRecord(session: "s", eventName: "e", deviceName: "d", started: 1)
        record.begin(at: 2, after: 3, offset: 300)
        let old = record
        for other in [[0], [0, 3], [0, 4, 5], [0, 2]] {
            record.adopt(try #require(SessionRuns(after: other)))
            #expect(record == old)
        }
        record.adopt(try #require(SessionRuns(after: [0, 3, 9])))
        #expect(record.sessionRuns?.after == [0, 3, 9] && record.runs.last?.offset == nil)
    }

    // MARK: Battery

    @Test func battery_isToldOnce_eachTimeItFallsLow() {
        var watch = BatteryWatch()
        let levels: [(Int?, Bool)] = [
            (40, true), (16, true), (15, true), (12, true), (16, true), (14, true), (17, true),
            (nil, false), (13, true), (30, false), (15, false), (14, true), (13, true),
            (18, true), (15, true),
        ]
        var told: [Int] = []
        for (look, level) in levels.enumerated() {
            if watch.isNewlyLow(percent: level.0, isDischarging: level.1) { told.append(look) }
        }
        #expect(told == [2, 11, 14])
    }

    // MARK: Input

    @Test func input_isHintedAtOnce_isQuiet_stallsAndGoesOn() {
        let timing = Timing()
        var watch = InputWatch()
        watch.begin(at: .seconds(100))
        #expect(watch.nextLook(timing) == .seconds(110))
        expect(&watch, nil, at: 109)
        expect(&watch, .neverSaidAnything(.seconds(10)), at: 110)
        expect(&watch, .quiet(.seconds(60)), at: 160)
        expect(&watch, nil, at: 699)
        expect(&watch, .stalled(.seconds(600)), at: 700)
        #expect(watch.nextLook(timing) == nil)
        let (ended, again) = (watch.arrived(at: .seconds(710)), watch.arrived(at: .seconds(711)))
        #expect(ended && !again)
        #expect(watch.age(.seconds(720)) == .seconds(9))
        expect(&watch, nil, at: 770)
        expect(&watch, .quiet(.seconds(60)), at: 771)
    }

    /// A break is none of the guests' business: nothing is to be ended for them.
    @Test func quietInput_goesOnWithoutAWord() {
        var watch = InputWatch()
        watch.begin(at: .zero)
        _ = watch.arrived(at: .seconds(1))
        expect(&watch, .quiet(.seconds(60)), at: 61)
        let ended = watch.arrived(at: .seconds(500))
        #expect(!ended)
        expect(&watch, nil, at: 559)
        expect(&watch, .quiet(.seconds(60)), at: 560)
    }

    private func expect(
        _ watch: inout InputWatch, _ finding: InputWatch.Finding?, at second: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = watch.look(at: .seconds(second), Timing())
        #expect(found == finding, sourceLocation: location)
    }

    @Test func input_hasItsTimeAnew_whereItWasNotWanted() {
        var watch = InputWatch()
        watch.begin(at: .zero)
        _ = watch.arrived(at: .seconds(1))
        expect(&watch, .quiet(.seconds(60)), at: 61)
        expect(&watch, .stalled(.seconds(600)), at: 601)
        watch.begin(anewAt: .seconds(100))
        #expect(watch.hasSpoken && watch.age(.seconds(101)) == .seconds(1))
        #expect(watch.nextLook(Timing()) == .seconds(160))
        expect(&watch, .quiet(.seconds(60)), at: 160)
        expect(&watch, .stalled(.seconds(600)), at: 700)
        watch.begin(anewAt: .seconds(200))
        let ended = watch.arrived(at: .seconds(201))
        #expect(!ended, "there is no stall to be ended")
    }

    @Test func typing_neverStalls() {
        var timing = Timing()
        timing.stalledAfter = nil
        var watch = InputWatch()
        watch.begin(at: .zero)
        _ = watch.arrived(at: .seconds(1))
        #expect(watch.nextLook(timing) == nil)
        let found = watch.look(at: .seconds(100_000), timing)
        #expect(found == nil)
    }
}
