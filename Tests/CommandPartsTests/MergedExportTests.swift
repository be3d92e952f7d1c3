import BeamscribeTLS
import FoundationEssentials
import TestSupport
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore
@testable import BeamscribeIO

/// Several logs of an event as one transcript.
@Suite struct MergedExportTests {
    private let folder: TemporaryFolder
    private let store: SessionStore
    private let event = "6265616d-7363-4269-a265-000000000001"
    private let second = "6265616d-7363-4269-a265-000000000002"
    private let third = "6265616d-7363-4269-a265-000000000003"
    private let writer = Fingerprint(bytes: Array(repeating: 7, count: 32))!

    init() throws {
        folder = try TemporaryFolder()
        store = SessionStore(in: StateFolder(environment: ["XDG_STATE_HOME": folder.path]))
    }

    private struct Said {
        var at: Int
        var text: String
        var of: Int?
        var replaces: Int?
        /// How far its writer's clock is ahead.
        var ahead = 0.0
        var lang: String?
        var original: String?
    }

    /// The event's own log, and those of others: captions, a translation of the first, and what was said in
    /// its place.
    private func keep(
        _ floor: [Said], _ room: [Said] = [], _ spanish: [Said] = [], standby: [Said] = []
    ) throws {
        var record = SessionRecord(
            session: event, eventName: "Town Hall", deviceName: "stage", started: 1)
        record.writer = writer
        try write(floor, as: record)
        if !room.isEmpty { try write(room, as: held(second, "Room 2") { _ in }) }
        if !standby.isEmpty { try write(standby, as: held(second, "Standby") { $0.of = event }) }
        guard !spanish.isEmpty else { return }
        try write(
            spanish,
            as: held(third, "es") { log in
                (log.kind, log.of, log.lang) = (LogRecord.translation, event, "es")
            })
    }

    private func held(
        _ session: String, _ label: String, _ change: (inout LogRecord) -> Void
    ) throws -> SessionRecord {
        var log = LogRecord(
            session, of: event, as: label, lang: nil, eventName: "Town Hall", deviceName: "balcony",
            created: 2, number: 1)
        change(&log)
        var record = SessionRecord(
            session: session, eventName: "Town Hall", deviceName: "balcony", started: 2)
        record.writer = writer
        let frame = try FrameEncoder().frame(.log(log))
        let payload = frame.dropFirst(FrameDecoder.prefixLength)
        record.held = .init(log: Data(payload), head: nil, joints: nil, address: nil, grant: nil)
        return record
    }

    private func write(_ lines: [Said], as record: SessionRecord) throws {
        let files = try store.create(record)
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            var chunk = LiveChunk(
                final: index + 1, line: "\(index)", text: line.text,
                sentTimestamp: 1_800_000_000 + Double(line.at) + line.ahead)
            (chunk.at, chunk.of, chunk.replaces) = (line.at, line.of, line.replaces)
            (chunk.lang, chunk.original) = (line.lang, line.original)
            bytes += try FrameEncoder().frame(.liveChunk(chunk))
        }
        _ = try bytes.withUnsafeBytes { try files.log.write($0, at: 0) }
    }

    private func export(
        _ format: TranscriptFormat = .text, of wanted: String? = nil, logs: [String] = [],
        languages: [String] = [], corrections: Bool = false, isPrivate: Bool = false,
        leavingOut count: Int = 0
    ) throws -> [String] {
        let export = try TranscriptExport(
            try ExportChoice(
                wanted: wanted ?? event, labels: logs, includesPrivate: isPrivate
            ).find(in: store),
            showsCorrections: corrections, isMasked: false,
            languages: CaptionFilter(languages: languages))
        let name = UUID().uuidString
        let output = try ExportOutput(path: folder.path(of: name))
        let ranges = try export.ranges(from: nil, to: nil)
        // Nobody has signed logs that are made up here.
        let warnings = export.warnings(ranges: ranges).filter { !$0.contains("captioner signed") }
        #expect(warnings.isEmpty)
        #expect(export.countLeftOut(from: nil, to: nil) == count)
        try export.write(format, ranges: ranges, withTimes: false, to: output)
        return try folder.read(name).split(separator: "\n").map(String.init)
    }

    // MARK: What others say

    /// A host's own masked words are exported as they were said; others' lines as they were shown.
    @Test func originalWords_areExported_ofThisMachinesOwnLogAlone() throws {
        try keep(
            [Said(at: 1, text: "m***", original: "masked")],
            [Said(at: 2, text: "shown", original: "made up")])
        #expect(try export() == ["masked", "[Room 2] shown"])
    }

    /// A writer calls the event as another event on this machine is called.
    @Test func nameOfAnEvent_isThatOfItsFounder() throws {
        let board = "00000000-0000-4000-8000-0000000000b0"
        try write(
            [Said(at: 1, text: "the vote")],
            as: SessionRecord(
                session: board, eventName: "Board", deviceName: "stage", started: 1))
        try write(
            [Said(at: 1, text: "on the lawn")],
            as: SessionRecord(
                session: event, eventName: "Picnic", deviceName: "stage", started: 2))
        var record = try held(second, "Room 2") { _ in }
        record.eventName = "Board"
        try write([Said(at: 2, text: "another vote")], as: record)
        #expect(try export(of: "Board") == ["the vote"])
        #expect(try export(of: "Picnic") == ["on the lawn", "[Room 2] another vote"])
    }

    // MARK: Order

    @Test(arguments: 0..<40 as Range<UInt64>)
    func lines_areInTheOrderOfTheirPlaces_eachOnce(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var floor: [Said] = []
        var room: [Said] = []
        var place = 0
        for number in 1...60 {
            // Two may say something at one place, who have not heard of each other.
            place += Int.random(in: 1...2, using: &generator)
            let who = Int.random(in: 0...2, using: &generator)
            if who != 1 { floor.append(Said(at: place, text: "f\(number)")) }
            if who != 0 { room.append(Said(at: place, text: "r\(number)")) }
        }
        try keep(floor, room)
        let all = floor.map { ($0.at, 0, $0.text) } + room.map { ($0.at, 1, "[Room 2] \($0.text)") }
        let due = all.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        #expect(try export() == due)
    }

    @Test func corrections_standInTheirPlaces_ofEachLog() throws {
        try keep(
            [Said(at: 1, text: "on"), Said(at: 3, text: "one", replaces: 1)],
            [Said(at: 2, text: "un"), Said(at: 4, text: "uno", replaces: 1)])
        #expect(try export() == ["one", "[Room 2] uno"])
        #expect(
            try export(corrections: true) == [
                "on", "[Room 2] un", "(correction to line 1) one",
                "[Room 2] (correction to line 1) uno",
            ])
    }

    // MARK: Languages

    private func keepTranslated() throws {
        try keep(
            [Said(at: 1, text: "one"), Said(at: 3, text: "two"), Said(at: 6, text: "three")],
            [Said(at: 2, text: "room")],
            [
                Said(at: 4, text: "un", of: 1), Said(at: 5, text: "dos", of: 2),
                Said(at: 7, text: "uno", replaces: 1),
            ])
    }

    @Test func translation_isNoCaption_unlessItIsWanted() throws {
        try keepTranslated()
        #expect(try export() == ["one", "[Room 2] room", "two", "three"])
        #expect(try export(logs: ["es"]) == ["uno", "dos"])
        #expect(
            try export(logs: ["Floor", "ES"]) == ["one", "two", "[es] uno", "[es] dos", "three"])
        #expect(try export(logs: ["all"]).count == 6)
    }

    @Test func translation_standsInThePlaceOfItsLine_whereItsLanguageIsWanted() throws {
        try keepTranslated()
        #expect(try export(languages: ["es"]) == ["uno", "[Room 2] room", "dos", "three"])
        #expect(try export(logs: ["floor"], languages: ["es"]) == ["uno", "dos", "three"])
        #expect(try export(languages: ["de"]) == ["one", "[Room 2] room", "two", "three"])
    }

    /// The translator had not come to the line before it was corrected.
    /// The host has lost lines 2 and 3, and says others under their numbers.
    @Test func translationOfALostLine_standsForNoOther() throws {
        try keep(
            [Said(at: 1, text: "one"), Said(at: 10_004, text: "b"), Said(at: 10_005, text: "c")],
            [],
            [
                Said(at: 2, text: "uno", of: 1), Said(at: 4, text: "dos", of: 2),
                Said(at: 6, text: "tres", of: 3), Said(at: 10_006, text: "ce", of: 3, replaces: 3),
            ])
        #expect(try export(languages: ["es"]) == ["uno", "b", "ce"])
    }

    @Test func lineInAWantedLanguage_isNotReplaced() throws {
        try keep(
            [Said(at: 1, text: "no", lang: "es-MX"), Said(at: 2, text: "two", lang: "en")], [],
            [Said(at: 3, text: "sí", of: 1), Said(at: 4, text: "dos", of: 2)])
        #expect(try export(languages: ["es"]) == ["no", "dos"])
    }

    @Test func translationOfACorrection_standsInThePlaceOfItsLine() throws {
        try keep(
            [
                Said(at: 1, text: "on"), Said(at: 2, text: "one", replaces: 1),
                Said(at: 3, text: "two"),
            ],
            [], [Said(at: 4, text: "uno", of: 2), Said(at: 5, text: "dos", of: 3)])
        #expect(try export(languages: ["es"]) == ["uno", "dos"])
        #expect(
            try export(languages: ["es"], corrections: true) == [
                "on", "(correction to line 1) one", "two",
            ])
    }

    /// Whoever interprets says lines of his own, which stand for what was said since the one before.
    @Test func interpreter_standsInThePlaceOfWhatWasSaid_whereHisLanguageIsWanted() throws {
        try keep(
            [
                Said(at: 1, text: "one"), Said(at: 3, text: "two"), Said(at: 4, text: "three"),
                Said(at: 6, text: "four"), Said(at: 100, text: "five"),
            ],
            [],
            [
                Said(at: 2, text: "uno"), Said(at: 5, text: "dos y tre"),
                Said(at: 7, text: "dos y tres", replaces: 2), Said(at: 101, text: "cinco"),
            ])
        #expect(
            try export(languages: ["es"]) == [
                "one", "[es] uno", "[es] dos y tres", "four", "five", "[es] cinco",
            ])
        #expect(try export().count == 5)
        #expect(try export(logs: ["es"], languages: ["es"]) == ["uno", "dos y tres", "cinco"])
        let records = try export(.jsonl, languages: ["es"])
        #expect(records.count { $0.contains("\"log\":\"es\"") } == 3)
    }

    @Test func interpreter_standsForWhatIsSaidInThePlaceOfTheHost() throws {
        try keep(
            [Said(at: 1, text: "one")], [], [Said(at: 2, text: "uno"), Said(at: 4, text: "dos")],
            standby: [Said(at: 3, text: "two"), Said(at: 5, text: "three")])
        #expect(
            try export(languages: ["es"]) == ["one", "[es] uno", "[es] dos", "[Standby] three"])
    }

    /// Some lines of a translation name those that they translate, and some none.
    @Test func translator_mayDoBoth() throws {
        try keep(
            [Said(at: 1, text: "one"), Said(at: 4, text: "two"), Said(at: 5, text: "three")], [],
            [
                Said(at: 2, text: "uno", of: 1), Said(at: 3, text: "un aplauso"),
                Said(at: 6, text: "tres", of: 3),
            ])
        #expect(
            try export(languages: ["es"]) == ["uno", "[es] un aplauso", "two", "tres"])
    }

    /// A host keeps its translations as sessions of its own.
    @Test func ownTranslation_isNoCaption_andGoesWithTheEvent() throws {
        try keep([Said(at: 1, text: "one")])
        var record = SessionRecord(
            session: third, eventName: "Town Hall", deviceName: "stage", started: 1)
        record.writer = writer
        record.contribution = .init(translating: event, into: "es")
        try write([Said(at: 2, text: "uno", of: 1)], as: record)
        #expect(try export() == ["one"] && export(languages: ["es"]) == ["uno"])
        #expect(try export(logs: ["es"]) == ["uno"])
        let own = try store.list().first { $0.record.session == third }
        #expect(own?.goesWithItsEvent == true && store.others(of: event).isEmpty)
    }

    /// Who has signed the words is told.
    @Test func record_isThatOfTheLogWithTheWords() throws {
        try keepTranslated()
        let records = try export(.jsonl, languages: ["es"])
        #expect(
            records.first == "{\"at\":1,\"fingerprint\":\"\(writer.hex)\",\"lang\":\"es\","
                + "\"line\":\"0\",\"log\":\"es\",\"of\":1,\"sentTimestamp\":1800000004.0,\"seq\":1,"
                + "\"session\":\"\(third)\",\"text\":\"uno\",\"type\":\"line\"}")
        #expect(records.last?.contains("\"log\":\"Floor\"") == true)
    }

    // MARK: Subtitles

    @Test func cues_countFromTheEventsFirstLine() throws {
        try keep(
            [Said(at: 10, text: "one"), Said(at: 40, text: "two")], [Said(at: 25, text: "room")])
        let srt = try export(.srt)
        #expect(srt.contains { $0.hasPrefix("00:00:15,000 --> ") } && srt.contains("Room 2: room"))
        #expect(srt.contains { $0.hasPrefix("00:00:30,000 --> ") })
    }

    @Test(arguments: [86_400.0, -86_400, -946_000_000, -1_800_000_000, 1e300, -1e300])
    func wrongClock_movesItsOwnCuesAlone(_ ahead: Double) throws {
        let floor = (1...5).map { Said(at: 10 * $0, text: "floor \($0)") }
        try keep(floor)
        let alone = try cues(.srt)
        try write(
            (1...4).map { Said(at: 10 * $0 + 5, text: "room \($0)", ahead: ahead) },
            as: held(second, "Room 2") { _ in })
        for format in [TranscriptFormat.srt, .vtt] {
            let all = try cues(format)
            #expect(all.map(\.start) == all.map(\.start).sorted())
            #expect(all.filter { $0.text.contains("floor") }.map(\.start) == alone.map(\.start))
            let order = all.map { $0.text.contains("room") }
            #expect(order == (0..<9).map { !$0.isMultiple(of: 2) })
        }
        // Text and JSON have what was signed.
        let records = try export(.jsonl)
        let own = records.filter { $0.contains("\"log\":\"Room 2\"") }
        #expect(
            own.first?.contains(
                "\"sentTimestamp\":\(Double(boundingSeconds: 1_800_000_015 + ahead))") == true)
    }

    /// Of three machines that of the host may be the one that is wrong.
    @Test func wrongClockOfTheHost_movesItsOwnCuesAlone() throws {
        try keep(
            (1...5).map { Said(at: 10 * $0, text: "floor \($0)", ahead: 86_400) },
            (1...5).map { Said(at: 10 * $0 + 3, text: "room \($0)") })
        try write(
            (1...5).map { Said(at: 10 * $0 + 6, text: "other \($0)") },
            as: held(third, "Other") { _ in })
        let starts = try cues(.srt).map(\.start)
        #expect(starts.count == 15 && starts == starts.sorted() && (starts.last ?? 99) < 60)
    }

    private func cues(_ format: TranscriptFormat) throws -> [(start: Double, text: String)] {
        let lines = try export(format)
        return lines.indices.filter { lines[$0].contains(" --> ") }.map { index in
            let stamp = lines[index].prefix(12).split { ":,.".contains($0) }.compactMap {
                Double($0)
            }
            return (
                stamp[0] * 3_600 + stamp[1] * 60 + stamp[2] + stamp[3] / 1_000, lines[index + 1]
            )
        }
    }

    @Test func times_boundWhatWasSaidThen_whateverAClockSays() throws {
        try keep(
            (1...5).map { Said(at: 10 * $0, text: "floor \($0)") },
            (1...4).map { Said(at: 10 * $0 + 5, text: "room \($0)", ahead: 86_400) })
        let export = try TranscriptExport(
            try ExportChoice(wanted: event).find(in: store), showsCorrections: false,
            isMasked: false, languages: CaptionFilter(languages: []))
        let from = LocalTime(1_800_000_030)
        let bound = ExportBound.time(hour: from.hour, minute: from.minute, second: from.second)
        let ranges = try export.ranges(from: bound, to: nil)
        #expect(ranges.map { $0?.lowerBound } == [3, 3])
    }

    // MARK: Lines for some alone

    private func keepWhispers() throws {
        try keep(
            [Said(at: 1, text: "one"), Said(at: 4, text: "two")], [Said(at: 3, text: "room")])
        try write(
            [
                Said(at: 2, text: "pst"), Said(at: 5, text: "psst", replaces: 1),
                Said(at: 6, text: "hush"),
            ],
            // Whoever writes to some alone chooses the name, too.
            as: held(third, "Floor") { $0.to = [writer.hex] })
    }

    @Test func privateLines_areLeftOut_unlessTheyAreAskedFor() throws {
        try keepWhispers()
        #expect(try export(leavingOut: 2) == ["one", "[Room 2] room", "two"])
        #expect(try export(logs: ["all"], leavingOut: 2) == ["one", "[Room 2] room", "two"])
        #expect(try export(logs: ["Room 2"]) == ["room"])
        #expect(
            try export(corrections: true, leavingOut: 3) == ["one", "[Room 2] room", "two"])
        #expect(try export(of: "last", leavingOut: 2) == ["one", "[Room 2] room", "two"])
    }

    @Test func privateLines_areMarked_whateverTheirLogIsCalled() throws {
        try keepWhispers()
        #expect(
            try export(isPrivate: true) == [
                "one", "[Floor, private] psst", "[Room 2] room", "two", "[Floor, private] hush",
            ])
        #expect(try export(.srt, isPrivate: true).contains("Floor, private: psst"))
        #expect(try export(.vtt, isPrivate: true).contains("<v Floor, private>psst"))
        let records = try export(.jsonl, isPrivate: true)
        #expect(records.filter { $0.contains("\"private\":true") }.count == 2)
        #expect(
            records.allSatisfy {
                $0.contains("psst") || !$0.contains("\"private\"") || $0.contains("hush")
            })
    }

    @Test func privateLog_isWrittenAndMarked_whereItIsNamed() throws {
        try keepWhispers()
        #expect(
            try export(of: third) == ["[Floor, private] psst", "[Floor, private] hush"])
        let path = folder.path + "/beamscribe/events/" + third
        for way in [path, path + "/log"] {
            #expect(
                try export(of: way) == ["[Floor, private] psst", "[Floor, private] hush"])
        }
        #expect(try export(.jsonl, of: third).allSatisfy { $0.contains("\"private\":true") })
    }

    @Test func privateTranslation_standsForNoLine() throws {
        try keep([Said(at: 1, text: "one")])
        try write(
            [Said(at: 2, text: "uno", of: 1)],
            as: held(third, "es") { log in
                (log.kind, log.of, log.lang) = (LogRecord.translation, event, "es")
                log.to = [writer.hex]
            })
        #expect(try export(languages: ["es"]) == ["one"])
        #expect(try export(languages: ["es"], isPrivate: true) == ["uno"])
    }

    @Test func lastEvent_isNoPrivateLog() throws {
        try write([Said(at: 1, text: "pst")], as: held(third, "Ann") { $0.to = [writer.hex] })
        #expect(throws: Failure.self) { try ExportChoice(wanted: "last").find(in: store) }
        #expect(throws: Failure.self) { try ExportChoice(wanted: "Town Hall").find(in: store) }
        #expect(try export(of: "last", isPrivate: true) == ["[Ann, private] pst"])
    }

    // MARK: Which

    @Test func choice_takesAnEventByItsName_andOneOfItsLogsByItsID() throws {
        try keep([Said(at: 1, text: "one")], [Said(at: 2, text: "room")])
        let choose = { (wanted: String) in
            try ExportChoice(wanted: wanted).find(in: store).logs.map(\.isMain)
        }
        #expect(try choose("Town Hall") == [true, false] && choose(event) == [true, false])
        #expect(try choose(second) == [false] && choose("last") == [true, false])
        #expect(throws: Failure.self) { try choose("Other") }
        #expect(throws: Failure.self) {
            try ExportChoice(wanted: event, labels: ["es"]).find(in: store)
        }
    }
}
