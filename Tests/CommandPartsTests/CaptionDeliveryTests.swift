import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore

/// Which lines a caption service gets, under which number, and when.
@Suite struct CaptionDeliveryTests {
    private let rules = CaptionDelivery.Rules(pause: .seconds(1), bytes: 40)

    private func joined(_ session: String = "s", after: [Int] = [0], history: Int = 0) -> GuestEvent
    {
        .joined(
            JoinedEvent(
                eventName: "E", deviceName: "D", session: session,
                runs: SessionRuns(after: after) ?? SessionRuns(), history: history))
    }

    private func line(
        _ seq: Int, _ text: String? = nil, replaces: Int? = nil, lang: String? = nil
    ) -> GuestEvent {
        .line(
            TranscriptLine(
                seq: seq, line: "l", text: text ?? "line \(seq)", lang: lang, replaces: replaces,
                sentTimestamp: 0, receivedTimestamp: 0, latency: 0))
    }

    /// What a service gets at once that takes everything.
    private func sent(_ delivery: inout CaptionDelivery) -> [String] {
        var texts: [String] = []
        while true {
            switch delivery.next(.seconds(1_000_000)) {
            case .send(let post):
                texts += post.pieces.map(\.text)
                #expect(delivery.finish(.taken, .zero) == nil)
            case .ask: #expect(delivery.told(nil, .zero) == nil)
            case .rest: return texts
            case .wait: Issue.record("A pause that is long over.")
            }
        }
    }

    // MARK: Other logs

    private let room = LogTitle.test(2, "Room 2")

    private func inRoom(
        _ seq: Int, _ text: String? = nil, replaces: Int? = nil, age: Double = 0
    ) -> GuestEvent {
        .inLog(
            room,
            .line(
                TranscriptLine(
                    seq: seq, line: "l", text: text ?? "room \(seq)", replaces: replaces,
                    sentTimestamp: 0, receivedTimestamp: age, latency: age)))
    }

    @Test func linesOfOtherLogs_areSentAsTheyCome_butForWhatWasSaidBefore() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(history: 3), inRoom(1, age: 600), inRoom(2, age: 6)])
        _ = delivery.take([line(4), inRoom(3), line(5)])
        #expect(sent(&delivery) == ["line 4", "room 3", "line 5"])
        // Of those that follow none is old: the connection was away.
        _ = delivery.take([inRoom(4, age: 600)])
        #expect(sent(&delivery) == ["room 4"])
        #expect(delivery.position.after == 5 && delivery.position.last(in: room.session) == 4)
    }

    @Test func runAfterAnother_goesOnInEachLog() {
        var first = CaptionDelivery(rules, after: nil)
        _ = first.take([joined(), line(1), inRoom(1)])
        #expect(sent(&first) == ["line 1", "room 1"])
        var second = CaptionDelivery(rules, after: first.position)
        _ = second.take([joined(history: 2), line(1), line(2), inRoom(1, age: 9)])
        _ = second.take([inRoom(2, age: 8)])
        #expect(sent(&second) == ["line 2", "room 2"])
    }

    @Test func lineOfAnotherLog_isMended_whileItWaits() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1), inRoom(1), inRoom(2, "ROOM 1", replaces: 1)])
        #expect(sent(&delivery) == ["line 1", "ROOM 1"])
        _ = delivery.take([inRoom(3, "once more", replaces: 1)])
        #expect(sent(&delivery) == [])
    }

    @Test func lineInTheNumberOfALostOne_isSent_inItsLog() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), inRoom(1), inRoom(2)])
        #expect(sent(&delivery) == ["room 1", "room 2"])
        _ = delivery.take([.inLog(room, .withdrawn(from: 2, through: 2)), inRoom(2, "other")])
        #expect(sent(&delivery) == ["other"])
    }

    // MARK: Every line once

    /// A service by its rules, which may tell its last number; what it has taken.
    private struct Service {
        let tells: Bool
        var last = Int.random(in: 0...3)
        var pieces: [CaptionPiece] = []
        var taken: [String] = []

        mutating func take(_ post: CaptionPost) {
            if post.number == last { return #expect(post.pieces == pieces) }
            #expect(post.number == last + 1)
            (last, pieces) = (post.number, post.pieces)
            taken += post.pieces.map(\.text)
        }
    }

    /// A run of the program after another, each killed at some moment, over connections that fail.
    @Test(arguments: 0..<400) func everyLine_isTakenOnce_inOrder(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var service = Service(tells: Bool.random(using: &random))
        if !service.tells { service.last = 0 }
        var kept: CaptionPosition?
        var delivery = CaptionDelivery(rules, after: nil)
        var said = 0
        var now = Duration.zero
        _ = delivery.take([joined()])
        for step in 0..<300 {
            kept = delivery.position
            now += .seconds(40)
            if step < 200, Int.random(in: 0..<3, using: &random) == 0 {
                said += 1
                _ = delivery.take([line(said)])
            }
            let isKilled = step < 200 && Int.random(in: 0..<12, using: &random) == 0
            switch delivery.next(now) {
            case .rest, .wait: break
            case .ask: _ = delivery.told(service.tells ? service.last : nil, now)
            case .send(let post):
                kept = delivery.position
                let luck = step < 250 ? Int.random(in: 0..<4, using: &random) : 0
                if luck < 2 { service.take(post) }
                if isKilled { break }
                _ = delivery.finish(
                    luck == 0 ? .taken : luck == 3 ? .refused("no") : .unanswered("?"), now)
            }
            if isKilled {
                delivery = CaptionDelivery(rules, after: kept)
                let first = (kept?.resume?.after ?? 0) + 1
                _ = delivery.take([joined(history: said)])
                for seq in first..<max(first, said + 1) { _ = delivery.take([line(seq)]) }
            }
        }
        #expect(service.taken == (1..<said + 1).map { "line \($0)" })
        #expect(delivery.left == 0)
    }

    // MARK: What is sent

    /// The first line of an event was posted, and the guest was killed before the answer came.
    @Test func nextRun_asksForTheFirstLine_whenNobodyKnowsOfIt() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1)])
        _ = delivery.told(nil, .zero)
        guard case .send = delivery.next(.zero) else { return #expect(Bool(false)) }
        #expect(delivery.position.resume == Handshake.Resume(session: "s", after: 0, run: 1))
    }

    @Test func linesFromBeforeTheGuestCame_areNotSent() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(history: 2), line(1), line(2), line(3), line(4)])
        #expect(sent(&delivery) == ["line 3", "line 4"])
    }

    @Test func anotherEvent_beginsAnew_andTheNumbersGoOn() {
        var first = CaptionDelivery(rules, after: nil)
        _ = first.take([joined(), line(1), line(2)])
        _ = sent(&first)
        var second = CaptionDelivery(rules, after: first.position)
        _ = second.take([joined("t", history: 1), line(1), line(2)])
        _ = second.next(.zero)
        _ = second.told(nil, .zero)
        guard case .send(let post) = second.next(.zero) else { return #expect(Bool(false)) }
        #expect(post.pieces.map(\.text) == ["line 2"])
        #expect(post.number == first.position.next)
    }

    @Test func eventThatIsBegunAnew_isSentFromItsStart_andWhatWaitedBefore() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(history: 7), line(8, "old")])
        _ = delivery.take([.begunAnew, joined("t", history: 2), line(1), line(2)])
        #expect(sent(&delivery) == ["old", "line 1", "line 2"])
    }

    @Test func linesThatTheHostHasLost_areSent_andThoseWithTheirNumbersToo() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1), line(2, "lost")])
        _ = delivery.take([
            .withdrawn(from: 2, through: 2), joined(after: [0, 1]), line(2), line(3),
        ])
        #expect(sent(&delivery) == ["line 1", "lost", "line 2", "line 3"])
    }

    @Test func correction_mendsALineThatWaits_andNoOther() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1), line(2), line(3)])
        _ = delivery.take([line(4, "two", replaces: 2), line(5, "second", replaces: 4)])
        _ = delivery.take([line(6, "", replaces: 3)])
        #expect(sent(&delivery) == ["line 1", "second"])
        _ = delivery.take([line(7, "late", replaces: 1), line(8)])
        #expect(sent(&delivery) == ["line 8"])
    }

    @Test func correctionOfAPostUnderWay_changesNothingOfIt() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1)])
        _ = delivery.told(nil, .zero)
        let post = delivery.next(.zero)
        _ = delivery.finish(.refused("no"), .zero)
        _ = delivery.take([line(2, "other", replaces: 1)])
        #expect(delivery.next(.seconds(5)) == post)
    }

    @Test func post_hasLinesOfOneLanguage_andNotTooMany() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined()] + (1...9).map { line($0, lang: $0 < 8 ? "en" : "de") })
        _ = delivery.told(nil, .zero)
        var posts: [[Int]] = []
        while case .send(let post) = delivery.next(.seconds(100 * posts.count)) {
            #expect(post.pieces.reduce(0) { $0 + $1.text.utf8.count + 1 } <= 40)
            posts.append(post.pieces.map(\.seq))
            _ = delivery.finish(.taken, .zero)
        }
        #expect(posts == [[1, 2, 3, 4, 5], [6, 7], [8, 9]])
    }

    @Test func speaker_standsBeforeTheWords() {
        var delivery = CaptionDelivery(rules, after: nil)
        let said = TranscriptLine(
            seq: 1, line: "l", text: "Hello.", speaker: "Ann", sentTimestamp: 0,
            receivedTimestamp: 0, latency: 0)
        _ = delivery.take([joined(), .line(said)])
        #expect(sent(&delivery) == ["Ann: Hello."])
    }

    // MARK: When

    @Test func retries_waitLongerAndLonger_withTheSamePost_andAreToldOnce() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1)])
        _ = delivery.told(nil, .zero)
        var now = Duration.zero
        let first = delivery.next(now)
        #expect(delivery.finish(.refused("no"), now) == .trouble("no"))
        for seconds in [1, 2, 4, 8, 16, 30, 30, 30] {
            #expect(delivery.next(now) == .wait(.seconds(seconds)))
            now += .seconds(seconds)
            #expect(delivery.next(now) == first)
            #expect(delivery.finish(.refused("never"), now) == nil)
        }
        now += .seconds(30)
        _ = delivery.next(now)
        #expect(delivery.finish(.taken, now) == .recovered)
        _ = delivery.take([line(2)])
        #expect(delivery.next(now) == .wait(.seconds(1)), "The pause between two posts.")
    }

    @Test func number_isAskedFor_whenNobodyKnowsWhetherAPostWasTaken() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1), line(2, lang: "en")])
        #expect(delivery.next(.zero) == .ask)
        #expect(delivery.told(6, .zero) == nil)
        guard case .send(let post) = delivery.next(.zero) else { return #expect(Bool(false)) }
        #expect(post.number == 7)
        #expect(delivery.finish(.unanswered("?"), .zero) == .trouble("?"))
        #expect(delivery.next(.seconds(1)) == .ask)
        #expect(delivery.told(7, .seconds(1)) == .recovered)
        guard case .send(let next) = delivery.next(.seconds(9)) else { return #expect(Bool(false)) }
        #expect(next.number == 8 && next.pieces.map(\.seq) == [2])
    }

    @Test func number_isAskedForAgain_whenAPostInDoubtIsRefused() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1)])
        _ = delivery.told(0, .zero)
        _ = delivery.next(.zero)
        _ = delivery.finish(.unanswered("?"), .zero)
        _ = delivery.told(nil, .zero)
        _ = delivery.next(.seconds(10))
        _ = delivery.finish(.refused("I have that number"), .seconds(10))
        #expect(delivery.next(.seconds(20)) == .ask)
        #expect(delivery.told(1, .seconds(20)) == .recovered)
        #expect(delivery.left == 0)
    }

    @Test func unwantedLines_areLeftOut_andToldOnce() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1)])
        _ = delivery.told(nil, .zero)
        for (seq, news) in [(1, CaptionDelivery.News.unwanted("off")), (2, nil), (3, nil)] {
            _ = delivery.next(.seconds(seq * 10))
            #expect(delivery.finish(.unwanted("off"), .zero) == news)
            _ = delivery.take([line(seq + 1)])
        }
        _ = delivery.next(.seconds(100))
        #expect(delivery.finish(.taken, .zero) == .recovered)
        #expect(delivery.position.after == 4 && delivery.left == 0)
    }

    @Test func oldestLines_giveWay_andAreCounted() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([
            joined(), line(1, "far more words than go into one post of these, thus two"),
        ])
        var first: [Int] = []
        for seq in 2...1_010 where delivery.take([line(seq)]) { first.append(seq) }
        #expect(first == [1_000])
        #expect(delivery.dropped + delivery.left == 1_010)
        #expect(sent(&delivery) == (1_011 - 1_000...1_010).map { "line \($0)" })
    }

    @Test func end_triesOnceMore_andNoLonger() {
        var delivery = CaptionDelivery(rules, after: nil)
        _ = delivery.take([joined(), line(1), line(2)])
        _ = delivery.told(nil, .zero)
        _ = delivery.next(.zero)
        _ = delivery.finish(.refused("no"), .zero)
        delivery.end()
        guard case .send = delivery.next(.zero) else { return #expect(Bool(false)) }
        _ = delivery.finish(.refused("no"), .zero)
        #expect(delivery.next(.seconds(100)) == .rest)
        #expect(delivery.left == 2)
    }

    // MARK: Pieces, addresses

    @Test func longLine_isSplitAtBlanks_andNothingIsLost() {
        #expect(CaptionPiece.split("one two three", bytes: 7) == ["one two", "three"])
        #expect(CaptionPiece.split("  abcdefgh  ij ", bytes: 4) == ["abcd", "efgh", "ij "])
        #expect(CaptionPiece.split("", bytes: 4).isEmpty)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let words = (0..<20).map { _ in
                ["a", "äöü", "word", "字幕字幕", "👩‍👩‍👧", ""].randomElement(using: &random)!
            }
            let text = words.joined(separator: " ")
            let parts = CaptionPiece.split(text, bytes: 30)
            #expect(parts.allSatisfy { $0.utf8.count <= 30 && !$0.isEmpty })
            #expect(parts.joined().filter { $0 != " " } == text.filter { $0 != " " })
        }
        let heap = "e" + String(repeating: "\u{301}", count: 2_000)
        #expect(CaptionPiece.split(heap, bytes: 30).allSatisfy { $0.utf8.count <= 30 })
    }

    @Test func timesOfYouTube_areInUTC_withMilliseconds() {
        #expect(YouTubeService.time(1_356_307_206.873) == "2012-12-24T00:00:06.873")
        #expect(YouTubeService.time(0) == "1970-01-01T00:00:00.000")
        #expect(YouTubeService.time(1_793_923_199.9996).utf8.count == 23)
    }

    @Test func placeOfOBS_hasAPort() {
        #expect(OBSAddress("[::1]")?.place == "[::1]:4455")
        #expect(OBSAddress("studio:99")?.place == "studio:99")
    }

    #if Web
        /// An example of obs-websocket's own documentation.
        @Test func proofOfThePassword_isAsPublished() {
            #expect(
                OBSService.proof(
                    of: "supersecretpassword", salt: "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=",
                    challenge: "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=")
                    == "1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4=")
        }
    #endif

    @Test func address_isOfHTTP_andKeepsItsSecret() throws {
        let address = try #require(CaptionAddress("https://wmcc.zoom.us/closedcaption?id=1&s=%2C"))
        #expect(address.place == "wmcc.zoom.us")
        #expect(
            address.adding(path: "/seq", query: "seq=1")
                == "https://wmcc.zoom.us/closedcaption/seq?id=1&s=%2C&seq=1")
        let bare = try #require(CaptionAddress("http://[::1]:8080/c/"))
        #expect(bare.adding(path: "/seq") == "http://[::1]:8080/c/seq")
        #expect(bare.adding(query: "seq=1") == "http://[::1]:8080/c/?seq=1")
        for wrong in [
            "", "wmcc.zoom.us/x", "ftp://a/b", "file:///etc/passwd", "https://", "https:///x",
            "https://me:word@a/b", "https://a/b c", "https://a/b\n", "https://a/#b", "https://ä/b",
        ] {
            #expect(CaptionAddress(wrong) == nil, "\(wrong)")
        }
    }
}
