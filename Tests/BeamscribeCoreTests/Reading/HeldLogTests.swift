import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// A signed log that a guest keeps and serves again: its readers believe the writer, not the holder.
@Suite struct HeldLogTests {
    private let writer = ToyCrypto()
    private let session = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!

    /// A room whose log somebody else holds, by a connection of his own.
    private func holder(of log: EventLog, seed: UInt64 = 1) -> VirtualRoom {
        VirtualRoom(serving: log, seed: seed, proving: ToyCrypto("holder").security)
    }

    private func kept(_ room: VirtualRoom) -> (Replica, VirtualGuest) {
        let replica = Replica()
        let keeper = room.guest("keeper", keeping: replica)
        room.connect(keeper)
        return (replica, keeper)
    }

    private func reader(_ room: VirtualRoom, _ name: String = "Ann") -> VirtualGuest {
        let guest = room.guest(name, of: writer)
        room.connect(guest)
        return guest
    }

    @Test func readerOfAHolder_getsTheWritersLines() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("one", "two")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        #expect(guest.texts == ["one", "two"])
        room.say("three")
        room.whisper("fo")
        room.deliver()
        held.deliver()
        #expect(guest.texts == ["one", "two", "three"] && guest.lastPartial == "fo")
        room.pass(seconds: 5)
        held.pass(seconds: 5)
        #expect(guest.outcome == nil)
        #expect(try #require(replica.log).brokenInvariant == nil)
    }

    /// A holder may say anything of the input.
    @Test(arguments: [(isSpeaking: true, said: 5_000.0), (isSpeaking: false, said: 0.1)])
    func ageOfTheInput_isTheWritersWord(isSpeaking: Bool, said: Double) throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("one")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        var lies = 0
        held.tamper = { bytes in
            guard bytes.contains(Array("keep_alive".utf8)) else { return bytes }
            var lie = KeepAlive(timestamp: 0)
            lie.inputAge = said
            lies += 1
            return bytes + ((try? FrameEncoder().frame(.keepAlive(lie))) ?? [])
        }
        for second in 1...20 {
            if isSpeaking { room.say("\(second)") }
            room.pass(seconds: 1)
            held.deliver()
            held.pass(seconds: 1)
        }
        let isSilent = guest.events.contains {
            if case .state(.silent) = $0 { true } else { false }
        }
        #expect(isSilent == !isSpeaking && lies > 0)
    }

    /// Who holds the log is not its writer: whoever wants that one reads no other's.
    @Test func readerOfAHolder_believesNobodyElse() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("one")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let guest = held.guest(reconnects: false, of: ToyCrypto("another"))
        held.connect(guest)
        #expect(guest.texts.isEmpty && guest.outcome != nil)
    }

    /// Without the writer's record and its word on how the log stands nothing can be proven.
    @Test(arguments: ["another word", "one"])
    func wordsBeforeTheRecord_areNotShown(_ text: String) throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("one")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let lies = [
            Packet.liveChunk(
                LiveChunk(partialOf: "2", revision: 1, text: "a lie", sentTimestamp: 0)),
            .liveChunk(LiveChunk(final: 1, line: "1", text: text, sentTimestamp: 0)),
        ]
        let frames = try lies.flatMap { try FrameEncoder().frame($0) }
        var isSaid = false
        held.tamper = { bytes in
            guard !isSaid else { return bytes }
            isSaid = true
            return Self.firstFrame(of: bytes) + frames
        }
        let guest = reader(held)
        #expect(isSaid && guest.texts.isEmpty && guest.lastPartial == nil)
        held.pass(seconds: 3)
        #expect(guest.texts == ["one"] && guest.outcome == nil)
    }

    private static func firstFrame(of bytes: [UInt8]) -> [UInt8] {
        let length = bytes.prefix(FrameDecoder.prefixLength).reduce(0) { $0 << 8 | Int($1) }
        return Array(bytes.prefix(FrameDecoder.prefixLength + length))
    }

    /// Its writer has signed it; that it is done, too.
    @Test func partialThatIsSaidAgain_isNotShown_onceItsLineIsDone() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("zero")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        var open: [UInt8] = []
        held.tamper = { bytes in
            open = bytes
            return bytes
        }
        room.whisper("on")
        room.deliver()
        held.deliver()
        #expect(guest.lastPartial == "on")
        room.pass(seconds: 1)
        let began = open
        held.tamper = { $0 + began }
        room.say("one")
        room.deliver()
        held.deliver()
        #expect(guest.texts == ["zero", "one"])
        guard case .line? = guest.events.last else {
            Issue.record("\(guest.events.suffix(3))")
            return
        }
    }

    @Test func partialThatIsSaidAgain_setsNoLineBack() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("zero")
        room.deliver()
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        var began: [UInt8] = []
        held.tamper = { bytes in
            began = bytes
            return bytes
        }
        room.whisper("it is")
        room.deliver()
        held.deliver()
        held.tamper = { $0 + began }
        room.pass(seconds: 1)
        room.whisper("it is not")
        room.deliver()
        held.deliver()
        #expect(guest.lastPartial == "it is not" && guest.outcome == nil)
    }

    /// A relay may say it again once the host is on the record again.
    @Test func wordsFromBeforeTheHostWasOffTheRecord_stayAway() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("zero")
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        var began: [UInt8] = []
        held.tamper = { bytes in
            began = bytes
            return bytes
        }
        room.whisper("secret")
        room.deliver()
        held.deliver()
        #expect(guest.lastPartial == "secret")
        held.tamper = { $0 }
        for gate in [InputGate.offRecord, .open] {
            room.host.publisher.set(gate, now: room.now)
            for _ in 0..<3 {
                room.pass(seconds: 1)
                held.pass(seconds: 1)
            }
        }
        #expect(guest.lastPartial == "")
        held.tamper = { $0 + began }
        held.pass(seconds: 5)
        #expect(guest.lastPartial == "" && guest.outcome == nil)
    }

    /// Nothing is open while the writer is off the record.
    @Test func partialFromBefore_isNotShown_whileTheHostIsOffTheRecord() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, _) = kept(room)
        room.say("zero")
        let held = holder(of: try #require(replica.log))
        let first = reader(held)
        var began: [UInt8] = []
        held.tamper = { bytes in
            began = bytes
            return bytes
        }
        room.whisper("secret")
        room.deliver()
        held.deliver()
        #expect(first.lastPartial == "secret")
        held.tamper = { $0 }
        room.host.publisher.set(.offRecord, now: room.now)
        room.pass(seconds: 2)
        held.pass(seconds: 2)
        let late = reader(held, "Ben")
        held.tamper = { $0 + began }
        held.pass(seconds: 3)
        #expect(late.lastPartial == nil && late.texts == ["zero"] && late.outcome == nil)
    }

    /// A holder that came late, or was behind, has only a part, and says what comes before it.
    @Test func holder_servesWhatItHas_alsoBehindAGap() throws {
        let room = VirtualRoom(signing: writer, session: session, limit: 0, chunkSize: 4_096)
        let (replica, keeper) = kept(room)
        room.say("line 1")
        room.deliver()
        keeper.isFrozen = true
        for number in 2...200 { room.say("line \(number)") }
        keeper.isFrozen = false
        room.deliver()
        let first = room.host.log.firstSeq
        #expect(first > 2)
        let held = holder(of: try #require(replica.log))
        let guest = reader(held)
        held.pass(seconds: 2)
        #expect(guest.texts == ["line 1"], "somebody else may have the others")
        held.pass(seconds: 10)
        let rest = (first...200).map { "line \($0)" }
        #expect(guest.texts == ["line 1"] + rest)
        #expect(guest.events.contains(.gap(from: 2, through: first - 1)))
        room.say("line 201")
        room.deliver()
        held.deliver()
        #expect(guest.texts.last == "line 201" && guest.outcome == nil)
    }

    /// The host comes back without its last line: so does what is held of it.
    @Test func holder_hasTheHostsNewLines_inThePlacesOfThoseThatItLost() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (replica, keeper) = kept(room)
        room.say("one", "two")
        room.say("lost")
        room.deliver()
        let transcript = Transcript(hashing: LineChain(of: session, by: writer))
        room.host.log.forEachPayload(through: 2) { transcript.restore(payload: $1, seq: $0) }
        let log = writer.log(
            session, SessionRuns(after: [0, 2])!, now: room.now, holding: transcript)
        let again = VirtualRoom(serving: log, proving: writer.security)
        let back = again.guest(keeping: replica, resuming: keeper.session.position)
        again.connect(back)
        again.say("other")
        again.deliver()
        let guest = reader(holder(of: try #require(replica.log)))
        #expect(guest.texts == ["one", "two", "other"])
    }

    /// Everything at random: whoever reads the holder has what whoever reads the host has.
    @Test func readerOfAHolder_hasTheHostsLines_whateverHappens() throws {
        for seed in 0..<UInt64(100) {
            let room = VirtualRoom(signing: writer, seed: seed, session: session)
            let (replica, keeper) = kept(room)
            room.say("first")
            room.deliver()
            let held = holder(of: try #require(replica.log), seed: seed)
            let guest = reader(held)
            for step in 0..<60 {
                switch Int.random(in: 0..<10, using: &room.generator) {
                case 0...3: room.say("line \(step)")
                case 4...5: room.whisper("part \(step)")
                case 6: room.cut(keeper)
                case 7: held.cut(guest)
                case 8: room.pieceSize = Int.random(in: 1...99, using: &room.generator)
                default:
                    room.pass(seconds: 1)
                    held.pass(seconds: 1)
                }
            }
            room.pass(seconds: 20)
            held.pass(seconds: 20)
            var theirs = FeedReader(room.host.log)
            theirs.drain(room.host.log)
            #expect(guest.texts == theirs.finals, "seed \(seed)")
            #expect(guest.outcome == nil, "seed \(seed)")
            #expect(try #require(replica.log).brokenInvariant == nil)
        }
    }

    // MARK: What a holder cannot say

    /// A room in which somebody holds what `room` says, and a guest who reads there.
    private func heldReader(
        _ room: VirtualRoom
    ) throws -> (VirtualRoom, Replica, VirtualGuest) {
        let (replica, _) = kept(room)
        room.deliver()
        let held = holder(of: try #require(replica.log))
        held.counterpart = .holder
        return (held, replica, reader(held))
    }

    @Test func holdersWord_endsNothing() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        #expect(guest.joined?.holder == "stage" && guest.texts == ["one"])
        held.finish(.ended)
        #expect(guest.outcome == nil && guest.alerts.isEmpty, "an alert is nobody's word")
        held.pass(seconds: 3)
        #expect(guest.outcome == nil)
    }

    @Test func writersWord_endsTheEvent_forWhoeverHasAllOfIt() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        room.say("two")
        room.finish(.ended)
        held.pass(seconds: 2)
        #expect(guest.texts == ["one", "two"])
        #expect(guest.outcome == .ended && guest.alerts == ["ended"])
    }

    @Test func writersWord_saysWhyNothingComes() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        room.host.log.tell(.paused, "paused", now: room.now)
        room.pass(seconds: 1)
        held.pass(seconds: 1)
        #expect(guest.states.last == .stalled(.paused))
        room.host.log.tell(.resumed, "resumed", now: room.now)
        room.pass(seconds: 1)
        held.pass(seconds: 1)
        #expect(guest.states.last == .live)
    }

    @Test func readerLearns_thatTheHostIsGone_andThatItIsBack() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        room.whisper("tw")
        room.deliver()
        held.pass(seconds: 9)
        #expect(guest.states.last == .live && guest.lastPartial == "tw")
        held.pass(seconds: 3)
        #expect(guest.lastPartial == "", "what was only begun does not stay")
        guard case .unheard("stage", let age)? = guest.states.last else {
            Issue.record("\(guest.states)")
            return
        }
        #expect(age > 10 && age <= 12)
        room.pass(seconds: 12)
        held.pass(seconds: 1)
        #expect(guest.states.last?.name == "silent")
        #expect(guest.lastPartial == "tw", "it is still being said")
        room.say("two")
        room.deliver()
        held.pass(seconds: 1)
        #expect(guest.states.last == .live)
    }

    /// Two who hold an event must not give their lines to each other twice, or lose any.
    @Test func readerWithMoreLines_isSentElsewhere_andComesBack() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        let reading = room.guest("Bo", of: writer)
        room.connect(reading)
        let position = try #require(reading.session.position)
        let ahead = Handshake.Resume(session: position.session, after: 2, run: 1)
        let other = held.guest("Bo", resuming: ahead, of: writer)
        held.connect(other)
        #expect(other.outcome == nil && other.texts.isEmpty && !other.session.isConnected)
        room.say("two", "three")
        room.deliver()
        held.pass(seconds: 5)
        #expect(other.texts == ["three"] && guest.texts == ["one", "two", "three"])
    }

    /// Who serves an event says in the handshake how often its host was started; only its writer's word
    /// may cost a reader lines.
    @Test func madeUpRuns_withdrawNothing() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one", "two")
        let (held, _, guest) = try heldReader(room)
        let real = Array(#""runs":[0]"#.utf8)
        let madeUp = Array(#""runs":[0,0]"#.utf8)
        var count = 0
        held.tamper = { bytes in
            guard let at = bytes.firstRange(of: real), count == 0 else { return bytes }
            count += 1
            var changed = bytes
            changed.replaceSubrange(at, with: madeUp)
            // The frame is two bytes longer.
            changed[3] &+= 2
            return changed
        }
        held.cut(guest)
        held.pass(seconds: 3)
        #expect(count == 1)
        #expect(guest.texts == ["one", "two"])
        #expect(!guest.events.contains { if case .withdrawn = $0 { true } else { false } })
    }

    /// Three have lacked what is gone; the fourth denies a line more, and that is his word alone.
    @Test func deniedLine_isNotGone_whereOthersHaveOnlyLackedThoseBeforeIt() throws {
        let room = VirtualRoom(
            signing: writer, session: session, limit: 2 * 4_700, chunkSize: 4_700)
        for number in 1...8 {
            room.say("\(number)" + String(repeating: ".", count: 2_000))
        }
        let (held, replica, guest) = try heldReader(room)
        let first = try #require(replica.log).firstSeq
        try #require((2..<8).contains(first))
        var offers = 0
        held.tamper = { bytes in
            let real = Array(#""from":\#(first),"#.utf8)
            guard let at = bytes.firstRange(of: real) else { return bytes }
            offers += 1
            // The first was before this.
            guard offers == 3 else { return bytes }
            var changed = bytes
            changed.replaceSubrange(at, with: Array(#""from":\#(first + 1),"#.utf8))
            return changed
        }
        held.pass(seconds: 30)
        #expect(offers == 4)
        let gaps = guest.events.filter { if case .gap = $0 { true } else { false } }
        #expect(gaps == [.gap(from: 1, through: first - 1)])
        #expect(guest.lines.map(\.seq) == Array(first...8))
    }

    // MARK: Who else has it

    @Test func readers_areToldWhoServes_whereThatComesFrom_andNowhereElse() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (serving, reader) = (room.guest("Ann"), room.guest("Bo"))
        serving.address = "192.0.2.7"
        for guest in [serving, reader] { room.connect(guest) }
        room.serve(serving, at: "203.0.113.9:4000", "203.0.113.9:22")
        #expect(room.host.room.counts.serving == 1)
        #expect(
            room.hostReports.contains(
                .guestServes(
                    .init(name: "Ann", peer: "192.0.2.7:1"), at: ["192.0.2.7:4000"])),
            "\(room.hostReports)")
        room.pass(seconds: 6)
        #expect(reader.peers == ["192.0.2.7:4000"] && serving.peers.isEmpty)
        let late = room.guest("Cleo")
        room.connect(late)
        #expect(late.peers == ["192.0.2.7:4000"])
        let old = room.guest("Dan", proving: nil)
        room.connect(old)
        #expect(old.peers.isEmpty)
        room.cut(serving)
        #expect(room.host.room.counts.serving == 0)
        let later = room.guest("Eve")
        room.connect(later)
        #expect(later.peers.isEmpty)
    }

    /// Each of those who serve the event is named first in turn.
    @Test func newcomersWithoutAPlace_areSentToThoseWhoServe() throws {
        let room = VirtualRoom(
            serving: writer.log(session, now: VirtualRoom.beginning), maximumGuests: 2,
            proving: writer.security)
        for number in 1...2 {
            let serving = room.guest("Ann", device: UUID())
            serving.address = "192.0.2.\(number)"
            room.connect(serving)
            room.serve(serving, at: "203.0.113.9:4000")
        }
        let places = ["192.0.2.1:4000", "192.0.2.2:4000"]
        for expected in [places, places.reversed(), places] {
            let guest = room.guest("Bo")
            room.connect(guest)
            #expect(guest.isSentOn && guest.peers == expected && guest.outcome == nil)
            // Nobody has a place there either: both are tried, and that is the end.
            for _ in 1...2 { room.pass(seconds: 5) }
            #expect(guest.outcome == .refused(.full, over: .network))
        }
        for guest in [room.guest("Old", proving: nil), room.guest("Once", reconnects: false)] {
            room.connect(guest)
            #expect(guest.outcome == .refused(.full, over: .network) && !guest.isSentOn)
        }
    }

    @Test(arguments: ["", "x", "192.0.2.7", "192.0.2.7:0", "192.0.2.7:65536", "192.0.2.7:-1"])
    func nobody_isToldOfWhoCannotBeReached(_ address: String) {
        let room = VirtualRoom(signing: writer, session: session)
        let (serving, reader) = (room.guest("Ann"), room.guest("Bo"))
        for guest in [serving, reader] { room.connect(guest) }
        room.serve(serving, at: address)
        room.pass(seconds: 6)
        #expect(reader.peers.isEmpty && serving.outcome == nil)
    }

    // MARK: Pages for browsers

    @Test func pages_areToldOfWhereTheyComeFrom_andOfThoseThatAreAdmittedOnly() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let (serving, reader) = (room.guest("Ann"), room.guest("Bo"))
        serving.address = "192.0.2.7"
        for guest in [serving, reader] { room.connect(guest) }
        room.serve(serving, at: "203.0.113.9:4000")
        room.serve(serving, at: "203.0.113.9:4000", page: PageDoor("http:8080"))
        room.pass(seconds: 6)
        #expect(room.host.room.holders.pages == [])
        #expect(room.host.room.holders.strangePages == ["http://192.0.2.7:8080"])
        #expect(reader.heard?.peers.first?.page == nil && reader.peers == ["192.0.2.7:4000"])
        room.host.room.holders.admission = .addresses(["192.0.2.8"])
        #expect(room.host.room.holders.pages == [])
        room.host.room.holders.admitKnownPages()
        room.pass(seconds: 6)
        #expect(room.host.room.holders.pages == ["http://192.0.2.7:8080"])
        #expect(reader.heard?.origins(at: nil, besides: nil) == ["http://192.0.2.7:8080"])
        room.host.room.holders.admission = .nobody
        room.pass(seconds: 6)
        #expect(reader.heard?.peers.first?.page == nil && room.host.room.holders.pages == [])
        room.host.room.holders.admission = .everybody
        room.cut(serving)
        #expect(room.host.room.holders.pages == [])
    }

    @Test func pageOfTheHost_isToldOf_withItsLink() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let reader = room.guest("Bo")
        room.connect(reader)
        room.host.room.holders.open(page: PageDoor(isSecure: true, port: 8443), link: "token")
        room.pass(seconds: 6)
        #expect(reader.heard?.link == "token")
        let place = "192.0.2.1:23267"
        #expect(reader.heard?.origins(at: place, besides: nil) == ["https://192.0.2.1:8443"])
        let old = room.guest("Dan", proving: nil)
        room.connect(old)
        #expect(old.heard == nil)
    }

    /// Who holds the event for its host could send phones to any page.
    @Test func pages_areNotBelieved_ofWhoHoldsTheEventForItsHost() throws {
        var peers = Peers([
            Peers.Peer(
                node: "a", addresses: ["192.0.2.7:1"], role: "relay", page: PageDoor("http:80"))
        ])
        (peers.page, peers.link) = ("http:8080", "token")
        let rest = peers.withoutPages
        #expect(rest.origins(at: "192.0.2.1:2", besides: nil) == [] && rest.link == "token")
        #expect(peers.origins(at: "192.0.2.1:2", besides: "a") == ["http://192.0.2.1:8080"])
        #expect(peers.origins(at: "[fe80::1%eth0]:2", besides: "a") == [])
        #expect(
            peers.origins(at: "[2001:db8::1]:2", besides: nil)
                == ["http://[2001:db8::1]:8080", "http://192.0.2.7:80"])
    }

    @Test(arguments: [
        "", "http", "http:", "http:0", "http:65536", "http:-1", "http:+80", "ftp:80", "http://a:80",
        "http:80:80", "javascript:80", "HTTP:80", " http:80", "http:８０", "https:0000000443",
    ])
    func page_isNone_whereItIsNotAPortOfHTTP(_ text: String) {
        #expect(PageDoor(text) == nil)
    }

    @Test func page_isReadAsItWasWritten() {
        for text in ["http:8080", "https:65535", "http:1"] {
            #expect(PageDoor(text)?.description == text)
        }
    }

    /// Who comes and goes, saying each time that he serves the event, costs the others little.
    @Test func peers_areTold_everyFiveSecondsAtMost() throws {
        let room = VirtualRoom(signing: writer, session: session)
        let reader = room.guest("Bo")
        room.connect(reader)
        let restless = room.guest("Ann")
        for number in 1...20 {
            room.connect(restless)
            room.serve(restless, at: "192.0.2.7:\(number)")
            room.pass(seconds: 1)
            room.cut(restless)
            room.pass(seconds: 1)
        }
        let count = reader.received.split(separator: Array("peers\"".utf8)).count - 1
        #expect((1...20).contains(count))
    }

    /// A line may have been withdrawn while its holder did not hear of it.
    @Test func openLine_isTakenBack_whereItsHolderHasLostTheHost() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (replica, keeper) = kept(room)
        room.deliver()
        let held = holder(of: try #require(replica.log))
        held.counterpart = .holder
        let guest = reader(held)
        room.whisper("tw")
        room.deliver()
        held.deliver()
        #expect(guest.lastPartial == "tw")
        room.cut(keeper)
        held.deliver()
        #expect(guest.lastPartial == "")
        room.whisper("two, per")
        room.pass(seconds: 3)
        held.pass(seconds: 3)
        #expect(guest.lastPartial == "two, per" && guest.outcome == nil)
    }

    /// Whoever serves the log can take back what is open, which he could have kept back, and nothing else: of
    /// what was never said nobody hears.
    @Test func wordThatNobodySigned_showsNothing_howeverEmpty() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        room.whisper("tw")
        room.deliver()
        held.deliver()
        let shown = guest.events.count
        let forged = LiveChunk(
            partialOf: "rude words", revision: 1, text: "", sentTimestamp: room.now.wall)
        held.say(try FrameEncoder().frame(.liveChunk(forged)), to: guest)
        #expect(guest.events.count == shown && guest.lastPartial == "tw")
        room.say("two")
        room.deliver()
        held.deliver()
        #expect(guest.texts == ["one", "two"] && guest.outcome == nil)
    }

    /// Nor does it sound as if its writer spoke.
    @Test func wordThatNobodySigned_isNoSignOfItsWriter() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, guest) = try heldReader(room)
        var isSilent: Bool { if case .silent? = guest.states.last { true } else { false } }
        for _ in 1...30 where !isSilent {
            room.pass(seconds: 1)
            held.pass(seconds: 1)
        }
        #expect(isSilent)
        let forged = LiveChunk(partialOf: "2", revision: 1, text: "", sentTimestamp: room.now.wall)
        held.say(try FrameEncoder().frame(.liveChunk(forged)), to: guest)
        #expect(isSilent && guest.outcome == nil)
    }

    private func readerOfWhatComesNext(_ held: VirtualRoom) -> VirtualGuest {
        let guest = held.guest(start: .next, of: writer)
        held.connect(guest)
        return guest
    }

    /// Whoever begins at what comes next begins behind what the writer has signed, whatever number he is
    /// told by who serves the log.
    @Test(arguments: [0, 1, 3, 1_000_000])
    func nextLine_isTheWriters(told: Int) throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one", "two")
        let (held, _, _) = try heldReader(room)
        held.tamper = { bytes in
            let said = Array(#""lastSeq":2"#.utf8)
            guard let at = bytes.firstRange(of: said) else { return bytes }
            var frame = Array(bytes[..<at.lowerBound] + Array(#""lastSeq":\#(told)"#.utf8))
            let rest = bytes[at.upperBound...]
            let length =
                bytes[2...3].reduce(0) { $0 << 8 | Int($1) } + frame.count
                - at.lowerBound - said.count
            (frame[2], frame[3]) = (UInt8(clamping: length >> 8), UInt8(clamping: length & 0xFF))
            return frame + rest
        }
        let guest = readerOfWhatComesNext(held)
        #expect(guest.joined?.history == 2)
        room.say("three")
        room.deliver()
        held.pass(seconds: 3)
        #expect(guest.texts == ["three"] && guest.outcome == nil)
    }

    /// A holder has lines that no head counts yet: who begins at what comes next is given these, too.
    @Test func nextLine_comesBehindTheHead_thatTheHolderHas() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one")
        let (held, _, _) = try heldReader(room)
        room.pass(seconds: 5)
        room.say("two")
        room.deliver()
        let guest = readerOfWhatComesNext(held)
        room.say("three")
        room.deliver()
        held.pass(seconds: 3)
        #expect(guest.texts == ["two", "three"] && guest.outcome == nil)
        #expect(!guest.events.contains { if case .gap = $0 { true } else { false } })
    }

    /// One of those who hold an event may lie, and ends it for nobody.
    @Test func lyingHolder_isLeft_andEndsNothing() throws {
        let room = VirtualRoom(signing: writer, session: session)
        room.say("one", "two")
        let (held, _, guest) = try heldReader(room)
        held.tamper = { bytes in
            guard let at = bytes.firstRange(of: Array("thr".utf8)) else { return bytes }
            return bytes[..<at.lowerBound] + Array("THR".utf8) + bytes[at.upperBound...]
        }
        room.say("three")
        room.deliver()
        held.pass(seconds: 60)
        #expect(guest.texts == ["one", "two"] && guest.outcome == nil)
        #expect(guest.events.filter { if case .trouble = $0 { true } else { false } }.count > 3)
        held.tamper = { $0 }
        held.pass(seconds: 15)
        #expect(guest.texts == ["one", "two", "three"])
    }
}
