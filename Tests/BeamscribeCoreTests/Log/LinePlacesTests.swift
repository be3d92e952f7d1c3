import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// The places of lines in the event's order, and whoever says places that no line has.
@Suite struct LinePlacesTests: EventWithWriters {
    @Test func place_isWhatTheWriterSays_whereItRises() {
        var places = LinePlaces()
        let said: [Int?] = [nil, 2, 7, 8, 1_000_008]
        #expect(
            said.enumerated().map { places.place(of: $0 + 1, said: $1) }
                == [1, 2, 7, 8, 1_000_008])
    }

    @Test(arguments: [Int.max, Limits.lineNumber, 2_000_000, 1_000_001])
    func place_isAMillionAboveTheLastAtMost(_ said: Int) {
        var places = LinePlaces()
        #expect(places.place(of: 1, said: said) == 1_000_000)
        #expect(places.place(of: 2, said: said) == min(said, 2_000_000))
    }

    @Test(arguments: [Int.min, -1, 0, 1, 3])
    func place_isAboveThatOfTheLineBefore(_ said: Int) {
        var places = LinePlaces(after: 3)
        #expect(places.place(of: 2, said: said) == 4)
    }

    @Test func place_isBounded_whereTheLinesBeforeAreUnknown() {
        var places = LinePlaces()
        places.beginAmidst()
        #expect(places.place(of: 40_000, said: 90_000) == 90_000)
        places.beginAmidst()
        #expect(places.place(of: Limits.lineNumber, said: nil) == Limits.firstPlace)
    }

    /// Whoever has the lines that were taken back allows no more growth than others.
    @Test func place_growsFromWhereItWas_whereLinesWereTakenBack() {
        var places = LinePlaces(after: 50)
        places.goBack(to: 10)
        #expect(places.place(of: 5, said: 11) == 11)
        places = LinePlaces(after: 50)
        places.goBack(to: nil)
        #expect(places.place(of: 5, said: .max) == 1_000_050)
    }

    /// A writer's own next line has a place that its readers accept.
    @Test func writer_keepsToTheRule_whateverPlacesItHasSeen() {
        let order = EventOrder()
        order.note(Limits.lineNumber)
        var (own, theirs) = (LinePlaces(), LinePlaces())
        for seq in 1...5 {
            let place = order.next(in: &own, of: seq, isMain: false)
            #expect(place == theirs.place(of: seq, said: place) && place == seq * 1_000_000)
        }
    }

    /// Two who read each other keep their order beside a third, who says the most that each line
    /// may.
    @Test func honestWriters_keepTheirOrder_besideOneWhoRunsAhead() {
        let orders = [EventOrder(), EventOrder()]
        var places = [LinePlaces(), LinePlaces()]
        var (ahead, newest) = (LinePlaces(), 0)
        // As in an event: the first line is the main log's.
        for seq in 1...2_000 {
            // The one says three times as much as the other.
            for writer in [0, 1, 0, 0] {
                let isMain = writer == 0
                let place = orders[writer].next(in: &places[writer], of: 1, isMain: isMain)
                #expect(newest < place && place <= newest + 2)
                newest = place
                orders[1 - writer].note(place, isMain: isMain)
            }
            let far = ahead.place(of: seq, said: Limits.lineNumber)
            orders.forEach { $0.note(far) }
        }
    }

    /// Lines of logs that were said while the main one was silent are explained by their number.
    @Test func silentMainLog_isLeftBehind_byWhatOthersSay() {
        let order = EventOrder()
        order.note(5, isMain: true)
        for place in 6...50_000 { order.note(place) }
        #expect(order.highest == 50_000)
        let resumed = EventOrder()
        resumed.note(5, isMain: true)
        resumed.note(50_000, lines: 49_995)
        #expect(resumed.highest == 50_000)
    }

    /// Translations of lines that the host has lost stay below its new lines.
    @Test func firstLineOfARun_isFarAboveAllOthers() throws {
        let now = Moment(uptime: .seconds(1), wall: 1_800_000_000)
        let order = EventOrder()
        let runs = try #require(SessionRuns(after: [0, 2]))
        let transcript = Transcript()
        let first = EventLog(session: UUID(), transcript: transcript, now: now)
        let said = ["one", "two"].compactMap {
            Publisher(into: first).publish(final: Caption(text: $0), now: now)
        }
        #expect(said == [1, 2] && first.highestPlace == 2)
        let resumed = EventLog(
            session: UUID(), runs: runs, transcript: transcript, in: order, now: now)
        order.note(7)
        let publisher = Publisher(into: resumed)
        publisher.publish(final: Caption(text: "three"), now: now)
        publisher.publish(final: Caption(text: "four"), now: now)
        #expect((1...4).map { resumed.place(of: $0) } == [1, 2, 10_007, 10_008])
    }

    /// One line with the highest place that there is does not make all that others say late.
    @Test func lineOfTheHighestPlace_leavesOthersTheirOrder() throws {
        let room = room()
        let (guest, _) = reader(room)
        let (other, _) = reader(room, "Cem", keepsOthers: true)
        room.say("one")
        let ben = contributor(room, try log(of: "uno", at: Limits.lineNumber, now: room.now))
        room.pass(seconds: 5)
        room.say("two")
        room.pass(seconds: 5)
        ben.say("dos")
        room.say("three")
        room.pass(seconds: 5)
        let (late, _) = reader(room, "Dan")
        room.pass(seconds: 5)
        for reader in [guest, other, late] {
            let lines = reader.allLines
            #expect(lines.allSatisfy { $0.at <= 1_000_010 }, "\(lines.map(\.at))")
            let order = lines.sorted { $0.at < $1.at }.map(\.text)
            #expect(order == ["one", "two", "three", "uno", "dos"])
        }
        #expect(guest.allLines.filter(\.isLate).isEmpty)
    }

    /// A log with one line, of which its writer says the place, as another program could.
    private func log(of text: String, at place: Int, now: Moment) throws -> EventLog {
        var chunk = LiveChunk(final: 1, line: "1", text: text, sentTimestamp: now.wall)
        chunk.at = place
        let frame = try FrameEncoder().frame(.liveChunk(chunk))
        let start = LineChain(of: second, by: writer)
        let signed = writer.signedFrame(frame) { _ in
            var chain = start
            frame[FrameDecoder.prefixLength...].withUnsafeBytes {
                chain.append(SignedPayload($0))
            }
            return LogStatement.line(chain, run: 1)
        }
        let transcript = Transcript(hashing: start)
        transcript.append(frame: signed)
        return writer.log(second, of: event, as: "Room 2", holding: transcript, now: now)
    }
}

extension VirtualGuest {
    /// The lines of all logs, in the order in which they came.
    var allLines: [TranscriptLine] {
        events.compactMap {
            switch $0 {
            case .line(let line), .inLog(_, .line(let line)): line
            default: nil
            }
        }
    }
}
