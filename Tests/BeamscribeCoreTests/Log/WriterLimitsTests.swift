import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Writers who may write in an event, and take or say more than their share.
@Suite struct WriterLimitsTests: EventWithWriters {
    private func fingerprint(_ crypto: ToyCrypto) -> Fingerprint {
        ToyVerifier(crypto: crypto).writer
    }

    private func logs(_ count: Int, of crypto: ToyCrypto, in room: VirtualRoom) -> [Contributor] {
        (1...count).map { number in
            let log = crypto.log(UUID(), of: event, as: "Room \(number)", now: room.now)
            return contributor(room, log, as: "guest \(UUID())")
        }
    }

    private func refusals(in room: VirtualRoom) -> [WriterRefusal] {
        room.hostReports.compactMap { if case .writerRefused(_, let why) = $0 { why } else { nil } }
    }

    // MARK: Places

    @Test func oneKey_hasFewLogs_andOthersHaveTheirPlaces() {
        let room = room()
        let (guest, _) = reader(room)
        let greedy = logs(70, of: writer, in: room)
        for log in greedy { log.say("greedy") }
        let other = logs(1, of: ToyCrypto("other"), in: room)[0]
        other.say("honest")
        room.pass(seconds: 10)
        #expect(guest.titles.filter { $0.writer == fingerprint(writer) }.count == 8)
        #expect(guest.allLines.map(\.text).filter { $0 == "honest" }.count == 1)
        #expect(refusals(in: room) == [.tooManyOfWriter])
        #expect(room.host.room.brokenInvariant == nil)
    }

    @Test func eventThatIsFull_saysSo_andHasRoomOnceAWriterIsPutOut() throws {
        let shelf = foundersShelf()
        let crowd = (1...8).map { ToyCrypto("crowd \($0)") }
        for crypto in crowd {
            for _ in 1...8 {
                let outcomes = try introduce(crypto, to: shelf)
                #expect(outcomes.count == 1)
            }
        }
        let late = ToyCrypto("late")
        let outcomes = try introduce(late, to: shelf)
        guard case .refused(let title, .noPlace)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(shelf.refusal(of: title) == .noPlace && shelf.writers.count == 64)
        let followed = shelf.putOut(fingerprint(crowd[0]), now: VirtualRoom.beginning)
        #expect(followed.contains(.letIn(title)))
        #expect(shelf.writers.count == 65 && shelf.brokenInvariant == nil)
        #expect(shelf.writers.count(where: \.isPutOut) == 8)
        // There is room for seven more, and then it is full again.
        for _ in 1...7 { #expect(try introduce(late, to: shelf).count == 1) }
        #expect(try introduce(ToyCrypto("later"), to: shelf).count == 1)
        #expect(shelf.writers.count == 72)
    }

    /// A link says what one more log of a writer is.
    private func introduce(_ crypto: ToyCrypto, to shelf: Shelf) throws -> [Shelf.Outcome] {
        let log = crypto.log(UUID(), of: event, as: "Room", now: VirtualRoom.beginning)
        let frame = try #require(log.record)
        return try frame[FrameDecoder.prefixLength...].withUnsafeBytes { payload in
            guard case .log(let record)? = try? PacketDecoder().packet(payload) else { return [] }
            return try shelf.take(
                record, as: payload, from: .dialled(1), now: VirtualRoom.beginning)
        }
    }

    // MARK: Requests

    /// Anybody can name a session; the one whose it is waits on, and is let in.
    @Test func request_isReplacedByNobodyElse_whoNamesItsSession() throws {
        let room = room(.nobody)
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.pass(seconds: 5)
        let thief = ToyCrypto("thief").log(second, of: event, as: "Room 2", now: room.now)
        _ = contributor(room, thief, as: "Mallory")
        room.pass(seconds: 5)
        let asking = room.host.room.writersAsking
        #expect(asking.map(\.writer).contains(fingerprint(writer)))
        let pin = try #require(FingerprintPin(fingerprint(writer).hex))
        room.admit(.keys([pin]))
        room.pass(seconds: 5)
        #expect(guest.texts(of: second) == ["uno"])
    }

    // MARK: Rates

    @Test func linesOfAllLogsOfOneKey_countTogether() {
        let room = room()
        let (guest, _) = reader(room)
        let own = logs(8, of: writer, in: room)
        let texts = (1...400).map { "line \($0)" }
        for log in own { log.say(texts[...]) }
        room.pass(seconds: 5)
        let atOnce = guest.allLines.count
        #expect((1_200...1_700).contains(atOnce))
        room.pass(seconds: 300)
        #expect(guest.allLines.count == 3_200)
    }

    @Test func partialsWithoutEnd_areCheckedNowAndThen_andTheNewestIsShown() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        for number in 1...1_000 { ben.whisper("word \(number)") }
        let shown = guest.events(of: second).filter {
            if case .partial = $0 { true } else { false }
        }
        #expect(shown.count <= 110, "\(shown.count)")
        room.pass(seconds: 3)
        #expect(guest.lastPartial(of: second) == "word 1000")
        ben.say("done")
        room.pass(seconds: 3)
        #expect(guest.texts(of: second) == ["uno", "done"])
    }

    @Test func heads_areCheckedNowAndThen_andTheNewestCounts() throws {
        var allowance = HeadAllowance()
        func head(_ number: Int) -> LogHead {
            LogHead(
                session: second.wireName, runs: [0], seq: number, hash: "", at: number, air: 1,
                state: "live", inputAge: 0, time: Double(number), next: 4)
        }
        var (checked, isBlamed) = (0, false)
        let payload = [UInt8](repeating: 0, count: 100)
        for number in 1...3_000 where !isBlamed {
            payload.withUnsafeBytes { bytes in
                do throws(GuestViolation) {
                    let now = Duration.milliseconds(1_000 + number / 10)
                    if try allowance.admits(head(number), as: bytes, now: now) { checked += 1 }
                } catch {
                    isBlamed = true
                }
            }
        }
        #expect(checked <= 18 && isBlamed)
        let waiting = allowance.takeDue(now: .seconds(3))
        #expect(try #require(waiting).head.seq >= 1_000)
        let next = allowance.takeDue(now: .seconds(4))
        #expect(next == nil)
    }
}

extension VirtualGuest {
    /// The logs that it was told of, each once.
    fileprivate var titles: Set<LogTitle> {
        Set(events.compactMap { if case .log(let log, _) = $0 { log } else { nil } })
    }
}
