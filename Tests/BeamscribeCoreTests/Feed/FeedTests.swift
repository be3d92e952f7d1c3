import BeamscribeCore
import FoundationEssentials
import Testing

/// What readers get who are no guests of the wire.
@Suite struct FeedTests {
    private let now = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)

    private func host(_ transcript: Transcript = Transcript()) -> VirtualHost {
        VirtualHost(transcript, now: now)
    }

    private func say(_ texts: String..., to host: VirtualHost) {
        for text in texts { host.publisher.publish(final: Caption(text: text), now: now) }
    }

    private func whisper(_ text: String, _ line: String = "a", to host: VirtualHost) {
        host.publisher.publish(partial: Caption(text: text, line: line), now: now)
    }

    @Test(arguments: [0, 4, -1, -5, .min, .max])
    func reader_beginsWithTheFirstLine_whenItHasNone_orANumberOfAnotherSession(after seq: Int) {
        let host = host()
        say("one", "two", "three", to: host)
        var reader = FeedReader(host.log, after: seq)
        #expect(reader.position.seq == 1)
        reader.drain(host.log)
        #expect(reader.finals == ["one", "two", "three"])
    }

    @Test(arguments: 1...3)
    func reader_goesOnBehindTheLineThatItHas(seq: Int) {
        let host = host()
        say("one", "two", "three", to: host)
        var reader = FeedReader(host.log, after: seq)
        reader.drain(host.log)
        #expect(reader.finals == Array(["one", "two", "three"][seq...]))
    }

    @Test func reader_isDrained_whereNothingWasSaid() {
        let host = host()
        var reader = FeedReader(host.log)
        let look = reader.look(at: host.log)
        #expect(look.new.isEmpty && look.outcome == .drained)
    }

    // MARK: Partials

    @Test func partials_comeBehindTheFinals_andTheNewestOnly() {
        let host = host()
        say("one", "two", to: host)
        whisper("thr", to: host)
        whisper("three", to: host)
        var reader = FeedReader(host.log)
        let first = reader.look(at: host.log, limit: 1)
        #expect(first.new == [.final(1, "one")] && first.outcome == .more)
        whisper("three o'", to: host)
        reader.drain(host.log)
        #expect(reader.items == [.final(1, "one"), .final(2, "two"), .partial("a", "three o'")])
        #expect(reader.look(at: host.log).new.isEmpty)
    }

    @Test func partial_isNotGiven_whoseFinalHasCome() {
        let host = host()
        whisper("hel", to: host)
        var (early, late) = (FeedReader(host.log), FeedReader(host.log))
        early.drain(host.log)
        host.publisher.publish(final: Caption(text: "hello", line: "a"), now: now)
        early.drain(host.log)
        late.drain(host.log)
        #expect(early.items == [.partial("a", "hel"), .final(1, "hello")])
        #expect(late.items == [.final(1, "hello")])
    }

    @Test func linesWithoutRoom_areWithdrawn_whenWhatPushedThemOutIsGoneAgain() {
        let host = host()
        for line in 1...Limits.openLines { whisper("words", "\(line)", to: host) }
        var reader = FeedReader(host.log)
        reader.drain(host.log)
        whisper("one more", "more", to: host)
        whisper("", "more", to: host)
        #expect(reader.look(at: host.log).new == [.partial("1", ""), .partial("more", "")])
    }

    @Test func everyLineThatIsShown_isWithdrawn_whenAReaderHasMissedMany() {
        let host = host()
        let all = (1...Limits.openLines).map { "\($0)" }
        for line in all { whisper("words", line, to: host) }
        var (reader, newcomer) = (FeedReader(host.log), FeedReader(host.log))
        reader.drain(host.log)
        for line in all { whisper("", line, to: host) }
        for line in 1...3 * Limits.openLines {
            whisper("words", "later \(line)", to: host)
            whisper("", "later \(line)", to: host)
        }
        let given = reader.look(at: host.log).new
        #expect(all.allSatisfy { given.contains(.partial($0, "")) })
        // Who has been shown nothing has nothing to take back.
        #expect(newcomer.look(at: host.log).new.isEmpty)
    }

    @Test func withdrawal_isGiven() {
        let host = host()
        whisper("hel", to: host)
        var reader = FeedReader(host.log)
        reader.drain(host.log)
        whisper("", to: host)
        reader.drain(host.log)
        #expect(reader.partials == ["hel", ""])
    }

    // MARK: Alerts

    @Test func lateReader_isToldWhatLasts_andNotWhatHasPassed() {
        let host = host()
        var early = FeedReader(host.log)
        early.drain(host.log)
        host.log.tell(.batteryLow, "10 %", now: now)
        host.log.tell(.inputStalled, "Nothing comes.", now: now)
        host.log.tell(.storageFailed, "The disk is full.", now: now)
        host.log.tell(.storageRestored, "It is not.", now: now)
        var late = FeedReader(host.log)
        late.drain(host.log)
        early.drain(host.log)
        #expect(late.alerts == ["input_stalled"])
        #expect(
            early.alerts == ["battery_low", "input_stalled", "storage_failed", "storage_restored"])
        host.log.tell(.resumed, "It goes on.", now: now)
        var later = FeedReader(host.log)
        for _ in 1...2 {
            late.drain(host.log)
            later.drain(host.log)
        }
        #expect(late.alerts == ["input_stalled", "resumed"] && later.alerts.isEmpty)
    }

    @Test func alerts_comeBehindTheFinals() {
        let host = host()
        say("one", "two", to: host)
        host.log.tell(.paused, "A break.", now: now)
        var reader = FeedReader(host.log)
        #expect(reader.look(at: host.log, limit: 1).new == [.final(1, "one")])
        #expect(reader.look(at: host.log).new == [.final(2, "two"), .alert("paused")])
    }

    @Test func readerThatLags_getsTheNewestAlerts() {
        let host = host()
        var reader = FeedReader(host.log)
        reader.drain(host.log)
        for _ in 1...Limits.recentAlerts + 5 { host.log.tell(.mark, "Here.", now: now) }
        reader.drain(host.log)
        #expect(reader.alerts.count == Limits.recentAlerts)
    }

    @Test func lastWord_isGivenOnce_asTheLastOfAll_toLatecomersToo() {
        let host = host()
        say("one", to: host)
        var early = FeedReader(host.log)
        early.drain(host.log)
        whisper("tw", to: host)
        host.log.tell(.inputEnded, "It is over.", now: now)
        _ = host.room.finish(.ended, "Goodbye.", now: now)
        let look = early.look(at: host.log)
        #expect(look.outcome == .over)
        #expect(look.new == [.alert("input_ended"), .partial("a", "tw"), .alert("ended")])
        let again = early.look(at: host.log)
        #expect(again.new.isEmpty && again.outcome == .over)
        var late = FeedReader(host.log)
        #expect(late.look(at: host.log).outcome == .over)
        #expect(late.alerts == ["input_ended", "ended"] && late.finals == ["one"])
    }

    @Test func lastWord_waitsForTheFinals() {
        let host = host()
        say("one", "two", to: host)
        _ = host.room.finish(.hostDisconnected, "Goodbye.", now: now)
        var reader = FeedReader(host.log)
        #expect(reader.look(at: host.log, limit: 1).outcome == .more && reader.alerts.isEmpty)
        #expect(reader.look(at: host.log).outcome == .over)
        #expect(reader.alerts == ["host_disconnected"])
    }

    // MARK: Gaps

    @Test(arguments: [0, 3])
    func reader_isToldOfTheGap_whoseNextLineIsGone(after seq: Int) {
        let host = host(Transcript(limit: 4_096, chunkSize: 2_048))
        whisper("still open", to: host)
        var (lagging, drained) = (FeedReader(host.log, after: 0), FeedReader(host.log))
        for number in 1...100 {
            host.publisher.publish(
                final: Caption(text: "line \(number)", line: "\(number)"), now: now)
            drained.drain(host.log)
            _ = host.room.trim()
        }
        let first = host.log.firstSeq
        #expect(first > 10)
        var late = FeedReader(host.log, after: seq)
        late.drain(host.log)
        lagging.drain(host.log)
        let rest = (first...100).map { FeedReader.Item.final($0, "line \($0)") }
        let end = [FeedReader.Item.partial("a", "still open")]
        #expect(late.items == [.gap(seq + 1...first - 1)] + rest + end)
        #expect(lagging.items == [.gap(1...first - 1)] + rest + end)
        #expect(drained.gaps.isEmpty && drained.finals.count == 100)
    }

    /// What it was shown of a line may be of one whose final it will never get.
    @Test func reader_getsOpenLinesAnew_behindAGap() {
        let host = host(Transcript(limit: 4_096, chunkSize: 2_048))
        whisper("open", to: host)
        var reader = FeedReader(host.log)
        reader.drain(host.log)
        for number in 1...100 {
            host.publisher.publish(
                final: Caption(text: "line \(number)", line: "\(number)"), now: now)
        }
        _ = host.room.trim()
        reader.drain(host.log)
        #expect(reader.gaps.count == 1 && reader.partials == ["open", "open"])
    }

    // MARK: Positions

    @Test func positions_areEqual_whereReadersHaveEverything() {
        let host = host()
        say("one", "two", to: host)
        whisper("th", to: host)
        host.log.tell(.paused, "A break.", now: now)
        var readers = [0, 1, 2, 7].map { FeedReader(host.log, after: $0) }
        for (index, limit) in [1, 10, 1_000, 50].enumerated() {
            readers[index].drain(host.log, limit: limit)
        }
        #expect(readers.allSatisfy { $0.position == readers[0].position })
        let before = readers[0].position
        say("three", to: host)
        readers[0].drain(host.log)
        #expect(readers[0].position != before && readers[1].position == before)
        whisper("fo", to: host)
        readers[1].drain(host.log)
        #expect(readers[0].position != readers[1].position)
    }
}
