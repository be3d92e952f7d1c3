import BeamscribeCore
import FoundationEssentials
import Testing

/// An event's log as a guest keeps it, beside the host's own.
@Suite struct ReplicaTests {
    @Test func replica_hasTheHostsBytes_howeverTheyCame() throws {
        let room = VirtualRoom()
        let replica = Replica()
        let keeper = room.guest(keeping: replica)
        room.pieceSize = 7
        room.say("one", "two")
        room.connect(keeper)
        room.cut(keeper)
        room.say("three")
        room.pass(seconds: 3)
        room.whisper("fo")
        room.deliver()
        let log = try #require(replica.log)
        #expect(payloads(of: log) == payloads(of: room.host.log))
        #expect(texts(log) == ["one", "two", "three"])
        var reader = FeedReader(log)
        reader.drain(log)
        #expect(reader.partials == ["fo"])
    }

    @Test func replica_isServedLikeTheHostsOwnLog() throws {
        let room = VirtualRoom()
        let replica = Replica()
        room.connect(room.guest(keeping: replica))
        room.say("one", "two")
        room.host.log.tell(.paused, "A break.", now: room.now)
        room.deliver()
        let second = VirtualRoom(serving: try #require(replica.log))
        let reader = second.guest("Ben")
        second.connect(reader)
        #expect(reader.texts == ["one", "two"] && reader.alerts == ["paused"])
        room.say("three")
        room.deliver()
        second.deliver()
        #expect(reader.texts == ["one", "two", "three"])
        room.finish(.ended)
        #expect(try #require(replica.log).isOver)
    }

    @Test func goingOfTheHost_isNoEnd_forWhoeverReadsItsReplica() throws {
        let room = VirtualRoom()
        let replica = Replica()
        room.connect(room.guest(keeping: replica))
        room.say("one")
        room.whisper("tw")
        room.deliver()
        let log = try #require(replica.log)
        var reader = FeedReader(log)
        reader.drain(log)
        room.finish(.hostDisconnected)
        #expect(reader.look(at: log).outcome == .drained)
        #expect(reader.partials == ["tw", ""] && reader.alerts.isEmpty)
    }

    @Test func linesThatTheHostHasLost_areNotServed() throws {
        let session = UUID()
        let room = VirtualRoom(session: session)
        let replica = Replica()
        let keeper = room.guest(keeping: replica)
        room.connect(keeper)
        room.say("one", "two", "three")
        room.deliver()
        let before = try #require(replica.log)
        let position = try #require(keeper.session.position)
        // The host comes back with what its disk has.
        let transcript = Transcript()
        before.forEachPayload(through: 1) { transcript.restore(payload: $1, seq: $0) }
        var runs = SessionRuns()
        runs.begin(after: 1)
        let again = VirtualRoom(
            serving: EventLog(session: session, runs: runs, transcript: transcript, now: room.now))
        let returned = again.guest(keeping: replica, resuming: position)
        again.connect(returned)
        again.say("other")
        again.deliver()
        let after = try #require(replica.log)
        #expect(after !== before && after.runs == runs)
        #expect(texts(after) == ["one", "other"])
        #expect(returned.events.contains(.withdrawn(from: 2, through: 3)))
    }

    @Test func replica_hasAGap_whereTheHostHadOne() throws {
        let room = VirtualRoom(transcript: Transcript(limit: 4_096, chunkSize: 2_048))
        let replica = Replica()
        let keeper = room.guest(keeping: replica)
        room.say("line 0")
        room.connect(keeper)
        keeper.isFrozen = true
        for number in 1...100 { room.say("line \(number)") }
        keeper.isFrozen = false
        room.deliver()
        let log = try #require(replica.log)
        let first = room.host.log.firstSeq
        #expect(first > 2)
        var reader = FeedReader(log)
        reader.drain(log)
        let rest = (first...101).map { FeedReader.Item.final($0, "line \($0 - 1)") }
        #expect(reader.items == [.final(1, "line 0"), .gap(2...first - 1)] + rest)
    }

    /// Everything at random: whoever reads the replica has what whoever reads the host has.
    @Test func replica_saysWhatTheHostSays_whateverHappens() throws {
        for seed in 0..<UInt64(200) {
            let room = VirtualRoom(seed: seed)
            let replica = Replica()
            let keeper = room.guest(keeping: replica)
            for step in 0..<60 {
                switch Int.random(in: 0..<10, using: &room.generator) {
                case 0...3: room.say("line \(step)")
                case 4...5: room.whisper("part \(step)")
                case 6: room.host.log.tell(.paused, "so it is", now: room.now)
                case 7: room.cut(keeper)
                case 8: room.pieceSize = Int.random(in: 1...99, using: &room.generator)
                default: room.pass(seconds: 1)
                }
            }
            room.pass(seconds: 20)
            let log = try #require(replica.log)
            #expect(payloads(of: log) == payloads(of: room.host.log), "seed \(seed)")
            #expect(log.brokenInvariant == nil)
            var (ours, theirs) = (FeedReader(log), FeedReader(room.host.log))
            ours.drain(log)
            theirs.drain(room.host.log)
            #expect(ours.finals == theirs.finals && ours.alerts == theirs.alerts, "seed \(seed)")
            #expect(ours.partials.last == theirs.partials.last, "seed \(seed)")
        }
    }

    private func payloads(of log: EventLog) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        log.forEachPayload { payloads.append(Array($1)) }
        return payloads
    }

    private func texts(_ log: EventLog) -> [String] {
        var reader = FeedReader(log)
        reader.drain(log)
        return reader.finals
    }
}
