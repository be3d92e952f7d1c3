import BeamscribeCore
import BeamscribeVoice
import Testing

@Suite struct VoiceSessionTests {
    private static let listening = VoiceSession.Configuration(talksOn: nil, hears: ["floor": 0])

    @Test func twoHearEachOther_andNobodyElseDoes() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        let listener = world.add(isCrew: false, Self.listening)
        world.run(seconds: 1)
        #expect(ann.events.first == .ready)
        ann.isSpeaking = true
        world.setKey(ann, down: true)
        world.run(seconds: 3)
        #expect(bob.events.contains(.person(name: "person 1", channel: "crew", .talks)))
        #expect(bob.delays.count > 550)
        #expect((bob.delays.max() ?? 999) < 40)
        #expect(ann.delays.isEmpty)
        #expect(listener.delays.isEmpty)
        world.setKey(ann, down: false)
        world.run(seconds: 0.2)
        #expect(bob.delay == nil)
        #expect(bob.events.last == .person(name: "person 1", channel: "crew", .stopped))
        let figures = bob.session.others(now: world.now)[0].figures
        #expect(figures.concealed == 0, "its end was told")
    }

    @Test func nothingIsHeard_ofWhoHasNoRight() {
        let world = VoiceWorld()
        let stranger = world.add(isCrew: false)
        world.run(seconds: 1)
        #expect(stranger.events == [.refused(.noRight)])
        let other = world.add(
            isCrew: true, .init(talksOn: "floor", hears: ["floor": 0]))
        let lost = world.add(isCrew: true, .init(talksOn: "nowhere", hears: ["crew": 0]))
        world.run(seconds: 1)
        #expect(other.events == [.refused(.noRight)])
        #expect(lost.events == [.refused(.noChannel)])
        #expect(world.room.count == 0)
    }

    @Test func hostItselfIsHeard_whereNobodyElseMayTalk_andTakesNobodysPlace() {
        let world = VoiceWorld(listeners: 1)
        let guest = world.add(isCrew: false, .init(talksOn: nil, hears: ["floor": 0]))
        let host = world.add(
            isCrew: false, isHost: true,
            .init(
                talksOn: "floor", hears: [:], mode: .open,
                coding: .room))
        host.isSpeaking = true
        world.run(seconds: 3)
        #expect(guest.events.contains(.person(name: "person 2", channel: "floor", .talks)))
        #expect(guest.delay != nil)
        #expect(host.delay == nil)
        // What it sends is as it is to be, whatever the others' is.
        #expect(host.wishes.isEmpty)
        guest.loss = 0.1
        world.run(seconds: 5)
        let wish = host.wishes.last
        #expect(wish?.ptime == 20 && wish?.bitrate == 64_000 && (wish?.redundancy ?? 0) > 0)
        let late = world.add(isCrew: false, .init(talksOn: nil, hears: ["floor": 0]))
        world.run(seconds: 0.5)
        #expect(late.events == [.refused(.full)])
    }

    /// Said again it is no news, and before one is there it is about nobody.
    @Test func talker_isToldWhetherHisWordsBecomeCaptions() {
        let world = VoiceWorld()
        let ann = world.add()
        world.run(seconds: 0.5)
        let full = VoiceCaptioned(not: .full)
        for said in [full, full, VoiceCaptioned(), VoiceCaptioned()] {
            world.tell(ann, .captioned(said))
        }
        world.run(seconds: 0.5)
        let told = ann.events.filter { if case .captioned = $0 { true } else { false } }
        #expect(told == [.captioned(full), .captioned(VoiceCaptioned())])
    }

    @Test func talkIsRefused_whereAsManyTalkAsMay() {
        let world = VoiceWorld(talkers: 1)
        let (ann, bob, eve) = (world.add(), world.add(), world.add())
        for person in [ann, bob] {
            person.isSpeaking = true
            world.run(seconds: 0.5)
            world.setKey(person, down: true)
            world.run(seconds: 0.5)
        }
        #expect(bob.events.suffix(2) == [.talk(.ended), .talkRefused])
        #expect(!bob.session.isTalking)
        #expect(ann.session.isTalking)
        #expect(eve.events.contains { $0 == .person(name: "person 1", channel: "crew", .talks) })
        #expect(!eve.events.contains { $0 == .person(name: "person 2", channel: "crew", .talks) })
        world.setKey(ann, down: false)
        world.setKey(bob, down: true)
        world.run(seconds: 0.5)
        #expect(bob.session.isTalking)
        #expect(ann.delay != nil)
    }

    private static let spanish = VoiceChannel("es", talk: .crew, hear: .event)
    private static let hosts = VoiceChannel("hosts", talk: .host, hear: .crew)

    @Test func whoGoesToAnotherChannel_isHeardThere_andNoMoreWhereHeWas() {
        let world = VoiceWorld([.crew, .floor, Self.spanish])
        let (ann, bob) = (world.add(.init(hears: ["crew": -3, "floor": -12])), world.add())
        let listener = world.add(isCrew: false, .init(talksOn: nil, hears: ["es": 0]))
        ann.isSpeaking = true
        world.run(seconds: 1)
        #expect(ann.session.channels(isCrew: true) == ["crew", "es"])
        #expect(listener.session.channels(isCrew: false) == ["floor", "es"])
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        world.move(ann, to: "es")
        world.run(seconds: 0.5)
        #expect(ann.events.suffix(2) == [.talk(.ended), .moved(to: "es")])
        #expect(!ann.session.isTalking)
        #expect(bob.events.last == .person(name: "person 1", channel: "crew", .left))
        let before = bob.delays.count
        world.setKey(ann, down: true)
        world.run(seconds: 2)
        #expect(listener.delays.count > 350)
        #expect(bob.delays.count == before)
        #expect(world.room.faults.total <= 1, "the last packet came behind the word")
        // It is where he is after a new connection, too.
        world.disconnect(ann)
        world.connect(ann)
        world.run(seconds: 0.5)
        #expect(ann.session.channel == "es")
        world.move(ann, to: "crew")
        world.run(seconds: 0.5)
        #expect(ann.events.contains(.moved(to: "crew")))
        #expect(ann.session.others(now: world.now).map(\.name) == ["person 2"])
    }

    @Test func whoMayNotGoToAChannel_staysWhereHeIs_withTheSameKeyStream() {
        let world = VoiceWorld([.crew, Self.hosts])
        let (ann, bob) = (world.add(), world.add())
        ann.isSpeaking = true
        world.run(seconds: 0.5)
        let source = bob.session.others(now: world.now)[0].source
        for (channel, reason) in [("hosts", VoiceRefused.Reason.noRight), ("none", .noChannel)] {
            world.move(ann, to: channel)
            world.run(seconds: 0.2)
            #expect(ann.events.last == .stayed(reason))
            #expect(ann.session.channel == "crew")
        }
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        #expect(bob.delays.count > 150)
        #expect(bob.session.others(now: world.now)[0].source == source)
        #expect(world.room.faults.total == 0)
    }

    /// The host has refused a talk while he was on his way already.
    @Test func noToATalk_isNotTheEndOfAWayToAnotherChannel() {
        let session = Self.session()
        var outbox = VoiceOutbox<VoiceHost>()
        _ = session.setKey(down: true, now: .zero, &outbox)
        let asked = session.move(to: "es", now: .zero, &outbox)
        #expect(asked.contains(.say(.join(VoiceJoin(channels: ["es"], talk: "es")))))
        #expect(
            session.take(.refused(VoiceRefused(.full)), now: .zero) == [.tell(.stayed(.full))])
        #expect(session.channel == "crew")
        let yes = VoiceJoined(ssrc: 8, key: 1, maxTalkers: 8)
        #expect(session.take(.joined(yes), now: .zero) == [.tell(.moved(to: "es"))])
        #expect(session.channel == "es")
        // Said again it would begin the same key stream anew.
        #expect(session.take(.joined(yes), now: .zero).isEmpty)
    }

    @Test func hostThatSaysNothing_letsNobodyWaitForEver() {
        let session = Self.session()
        var outbox = VoiceOutbox<VoiceHost>()
        _ = session.move(to: "es", now: .zero, &outbox)
        let onTheWay = session.setKey(down: true, now: .seconds(5), &outbox)
        #expect(onTheWay.isEmpty)
        let soon = session.tick(now: .seconds(5), &outbox)
        #expect(!soon.contains(.tell(.stayed(nil))))
        let late = session.tick(now: .seconds(6), &outbox)
        #expect(late.contains(.tell(.stayed(nil))))
        let begun = session.setKey(down: true, now: .seconds(6), &outbox)
        #expect(begun.contains(.tell(.talk(.began(lookBack: 0)))))
    }

    /// The key was down when the host put the talker out. Nobody has pressed it since.
    @Test func talkerWhoIsLetInAgain_isSilentUntilTheKeyIsPressed() {
        let session = Self.session()
        var outbox = VoiceOutbox<VoiceHost>()
        _ = session.setKey(down: true, now: .zero, &outbox)
        #expect(session.isTalking)
        #expect(
            session.take(.refused(VoiceRefused(.off)), now: .zero)
                == [.tell(.talk(.ended)), .tell(.refused(.off))])
        Self.join(session, as: 8)
        #expect(session.isHere && !session.isTalking)
        #expect(!session.setKey(down: true, now: .zero, &outbox).isEmpty)
        #expect(session.isTalking)
    }

    /// Somebody who is on the channel crew.
    private static func session() -> VoiceSession {
        let session = VoiceSession(
            .init(), encoder: RulerEncoder(), decoder: { RulerDecoder() }, seed: 1)
        join(session, as: 7)
        return session
    }

    /// A host lets a session in, which comes by a new connection.
    private static func join(_ session: VoiceSession, as source: UInt32) {
        let offer = VoiceOffer(
            port: 9, channels: [VoiceChannel.crew, spanish].map(\.offered), ptime: [10])
        _ = session.connected(to: offer) {
            ToyProtection(secret: UInt8(clamping: $0), side: .guest)
        }
        _ = session.take(.joined(VoiceJoined(ssrc: source, key: 0, maxTalkers: 8)), now: .zero)
    }

    @Test func roomIsFull_whenItIs() {
        let world = VoiceWorld(listeners: 2)
        let people = (0..<3).map { _ in world.add() }
        world.run(seconds: 0.5)
        #expect(people[2].events == [.refused(.full)])
    }

    @Test func packetsGoByTheConnection_whereUDPIsBlocked() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        ann.isUDPBlocked = true
        world.run(seconds: 2.5)
        #expect(ann.events.contains(.path(isTunnelled: true)))
        for person in [ann, bob] {
            person.isSpeaking = true
            world.setKey(person, down: true)
        }
        world.run(seconds: 3)
        #expect(bob.delays.count > 500)
        #expect(ann.delays.count > 500)
        #expect(max(bob.delays.max() ?? 999, ann.delays.max() ?? 999) < 80)
        ann.isUDPBlocked = false
        world.run(seconds: 11)
        #expect(ann.events.last == .path(isTunnelled: false))
        let before = ann.delays.count
        world.run(seconds: 10)
        #expect(ann.delays.count - before > 1_900)
    }

    @Test func pathIsLeft_whenUDPIsBlockedLaterOn() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        bob.isSpeaking = true
        world.setKey(bob, down: true)
        world.run(seconds: 3)
        ann.isUDPBlocked = true
        world.run(seconds: 6.5)
        #expect(ann.events.last == .path(isTunnelled: true))
        let before = ann.delays.count
        world.run(seconds: 2)
        #expect(ann.delays.count - before > 350)
    }

    @Test func guestIsFollowed_whereItGoes_butNobodyElseIs() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        ann.isSpeaking = true
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        // It comes by another address from now on.
        bob.address = 777
        world.run(seconds: 3)
        let before = bob.delays.count
        world.run(seconds: 1)
        #expect(bob.delays.count - before > 190)
        // Somebody sends again what he has heard.
        for bytes in world.overheard.suffix(400) { world.inject(bytes, from: 666) }
        let after = bob.delays.count
        world.run(seconds: 1)
        #expect(bob.delays.count - after > 190)
    }

    @Test func strangers_areNeverAnswered() {
        let world = VoiceWorld()
        let ann = world.add()
        world.run(seconds: 0.3)
        let answers = world.answers
        var generator = SeededGenerator(seed: 4)
        let own = world.overheard[0]
        for round in 0..<5_000 {
            var bytes = own
            if round.isMultiple(of: 2) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
            } else {
                bytes = (0..<Int.random(in: 0..<1_600, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            }
            world.inject(bytes, from: 666)
        }
        #expect(world.answers == answers)
        #expect(world.room.faults.total == 5_000)
        ann.isSpeaking = true
        let bob = world.add()
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        #expect(bob.delays.count > 150)
    }

    @Test func connectionMayEnd_andAnotherBegin() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        ann.isSpeaking = true
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        world.disconnect(ann)
        #expect(ann.events.suffix(2) == [.talk(.ended), .apart])
        #expect(bob.events.last == .person(name: "person 1", channel: "crew", .left))
        world.run(seconds: 1)
        #expect(bob.delay == nil)
        let old = world.overheard
        world.connect(ann)
        world.run(seconds: 0.5)
        #expect(!ann.session.isTalking, "whoever talks has to begin again")
        // What was said before counts nothing any more.
        let faults = world.room.faults.total
        for bytes in old { world.inject(bytes, from: ann.address) }
        #expect(world.room.faults.total == faults + old.count)
        world.setKey(ann, down: true)
        world.run(seconds: 1)
        #expect(bob.delays.count > 350)
    }

    /// Nobody is there to press a key where a program speaks.
    @Test(arguments: [TalkGate.Mode.open, .voice])
    func whoeverTalksWithoutAKey_isHeardAgain_onTheNextConnection(mode: TalkGate.Mode) {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(.init(mode: mode)), world.add())
        ann.isSpeaking = true
        world.run(seconds: 1)
        #expect(bob.delay != nil)
        world.disconnect(ann)
        world.run(seconds: 1)
        #expect(bob.delay == nil)
        world.connect(ann)
        world.run(seconds: 1)
        #expect(ann.session.isTalking)
        #expect(bob.delay != nil)
        // Nor is who is muted heard by accident.
        world.setTalking(ann, false)
        world.disconnect(ann)
        world.run(seconds: 0.5)
        world.connect(ann)
        world.run(seconds: 1)
        #expect(!ann.session.isTalking)
        world.setTalking(ann, true)
        world.run(seconds: 1)
        #expect(bob.delay != nil)
    }

    @Test func othersAreAsLoud_asTheUserWantsThem_alsoWhenTheyComeBack() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add(.init(hears: ["crew": -6])))
        world.run(seconds: 0.5)
        func gain() -> Float? { bob.session.others(now: world.now).first?.gain }
        #expect(abs((gain() ?? 0) - 0.501) < 0.001)
        #expect(bob.session.setVolume(of: "person 1", decibels: 6))
        #expect(abs((gain() ?? 0) - 1) < 0.001)
        #expect(bob.session.setMuted(true, name: "person 1"))
        #expect(gain() == 0)
        world.disconnect(ann)
        #expect(!bob.session.setMuted(false, name: "person 1"))
        world.connect(ann)
        world.run(seconds: 0.5)
        #expect(abs((gain() ?? 0) - 1) < 0.001)
    }

    @Test func copiesAreAskedFor_wherePacketsAreLost() {
        let world = VoiceWorld()
        let (ann, bob) = (world.add(), world.add())
        ann.isSpeaking = true
        world.setKey(ann, down: true)
        world.run(seconds: 2)
        bob.loss = 0.1
        world.run(seconds: 5)
        let lossy = bob.session.others(now: world.now)[0].figures
        world.run(seconds: 10)
        let later = bob.session.others(now: world.now)[0].figures
        let recovered = later.recovered - lossy.recovered
        #expect(recovered > 60, "\(recovered) of about 100")
        #expect(later.concealed - lossy.concealed < 480 * 25)
        #expect((bob.delays.max() ?? 999) < 110)
    }

    /// - Parameter rate: packets a second, all of them rightful.
    private func isPutOut(rate: Int) -> Bool {
        let room = VoiceRoom<Int, Int>(.init(channels: [.crew]), seed: 1)
        let protection = ToyProtection(secret: 1, side: .host)
        let answer = room.join(
            .init(id: 1, name: "Ann", isCrew: true, key: 0) { protection },
            VoiceJoin(channels: ["crew"], talk: "crew"), now: .zero)
        guard case .say(.joined(let joined), to: 1)? = answer.first else { return true }
        let guest = ToyProtection(secret: 1, side: .guest)
        var outbox = VoiceOutbox<Int>()
        for number in 0..<rate * 12 {
            let now = Duration.seconds(number) / rate
            let header = RTPHeader(
                payloadType: VoicePayload.opus.rawValue, isMarked: false,
                sequence: UInt16(truncatingIfNeeded: number),
                timestamp: UInt32(clamping: number * 120), source: joined.ssrc)
            var bytes = RTPPacket(header, payload: [16 << 3, 1, 2, 3]).bytes
            let count = bytes.count
            bytes += [UInt8](repeating: 0, count: VoiceProtectionRoom.bytes)
            bytes.withUnsafeMutableBytes {
                let count = guest.protect($0, count: count)!
                _ = room.receive(
                    UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), from: 7, now: now,
                    &outbox)
            }
            if number.isMultiple(of: rate / 5) { _ = room.tick(now: now, &outbox) }
            outbox.clear()
        }
        return room.count == 0
    }

    @Test func whoeverFloods_isPutOut() {
        #expect(!isPutOut(rate: Limits.voicePackets))
        #expect(isPutOut(rate: Limits.voicePackets + 50))
    }

    @Test func whoeverPlaysWithTheKey_isNotToldOfAgainAndAgain() {
        let room = VoiceRoom<Int, Int>(.init(channels: [.crew]), seed: 1)
        for number in 1...9 {
            let protection = ToyProtection(secret: UInt8(clamping: number), side: .host)
            _ = room.join(
                .init(id: number, name: "\(number)", isCrew: true, key: 0) { protection },
                VoiceJoin(channels: ["crew"], talk: "crew"), now: .zero)
        }
        let told = (0..<2_000).map { round in
            let now = Duration.seconds(1) + .milliseconds(round)
            return room.talk(VoiceTalk(on: round.isMultiple(of: 2), ts: 0), by: 1, now: now).count
        }
        #expect(told.reduce(0, +) <= 8 * 30)
    }

    /// A host asks for what is usual where nothing is wrong, whatever a talker has chosen.
    @Test(arguments: [VoiceCoding.lowDelay, .speech, .safe, .frugal, .room])
    func ownChoice_staysWhereNothingIsWrong(coding: VoiceCoding) {
        let own = coding.shape
        #expect(own.following(.usual) == own)
        let worse = own.following(TalkShape(frame: 20, bitrate: 24_000, redundancy: 2))
        #expect(worse.frame == 20 && worse.redundancy == 2)
        #expect(worse.bitrate == min(own.bitrate, 24_000))
    }

    @Test func whoeverSendsAsMuchAsMayBe_stays() {
        let world = VoiceWorld()
        let ann = world.add()
        var configuration = TalkConfiguration(mode: .open)
        configuration.shape = TalkShape(frame: 5, bitrate: 128_000, redundancy: 4)
        let bob = world.add(isCrew: true, configuration)
        bob.isSpeaking = true
        world.run(seconds: 15)
        #expect(!bob.events.contains(.refused(.off)))
        #expect(ann.delay != nil)
    }

    @Test(arguments: UInt64(1)..<6)
    func nobodyHearsWhatIsNotForHim_whateverHappens(seed: UInt64) {
        let world = VoiceWorld(talkers: 2, seed: seed)
        var generator = SeededGenerator(seed: seed)
        let crew = (0..<4).map { _ in world.add() }
        let guests = (0..<2).map { _ in world.add(isCrew: false, Self.listening) }
        for _ in 0..<40 {
            let person = crew.randomElement(using: &generator)!
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: person.isConnected ? world.disconnect(person) : world.connect(person)
            case 1: person.isUDPBlocked.toggle()
            case 2: person.loss = Double.random(in: 0..<0.3, using: &generator)
            case 3: person.address += 1_000
            case 4, 5: world.setKey(person, down: false)
            default:
                person.isSpeaking = true
                world.setKey(person, down: true)
            }
            world.run(seconds: Double.random(in: 0..<1, using: &generator))
        }
        #expect(guests.allSatisfy { $0.delays.isEmpty })
        for person in crew { #expect((person.delays.max() ?? 0) < 210) }
        // And once all is well, all is well.
        for person in crew {
            (person.isUDPBlocked, person.loss, person.isSpeaking) = (false, 0, false)
            if !person.isConnected { world.connect(person) }
            world.setKey(person, down: false)
        }
        world.run(seconds: 15)
        crew[0].isSpeaking = true
        world.setKey(crew[0], down: true)
        // What was learnt where packets were late is forgotten by one and a half thousand that are not.
        world.run(seconds: 15)
        for person in crew.dropFirst() {
            #expect((person.delay ?? 999) < 60, "seed \(seed): \(person.number)")
        }
    }

    /// Nobody is there to begin again where a program speaks; and nobody is to be told of each try.
    @Test func whoeverIsRefusedWithoutAKey_isHeard_onceThereIsAPlace() {
        let world = VoiceWorld(talkers: 1)
        let (ann, bob, eve) = (world.add(), world.add(.init(mode: .open)), world.add())
        world.setTalking(bob, false)
        ann.isSpeaking = true
        world.run(seconds: 0.5)
        world.setKey(ann, down: true)
        world.run(seconds: 0.5)
        bob.isSpeaking = true
        world.setTalking(bob, true)
        let packets = world.overheard.count
        world.run(seconds: 20)
        #expect(
            bob.events.filter { !$0.isOfOthers }.suffix(3) == [
                .talk(.began(lookBack: 0)), .talk(.ended), .talkRefused,
            ])
        #expect(bob.events.count { $0 == .talkRefused } == 1)
        #expect(world.overheard.count - packets < 2_300, "nobody hears what is refused")
        world.disconnect(ann)
        world.run(seconds: 4)
        #expect(bob.session.isTalking && eve.delay != nil)
        #expect(bob.events.last { !$0.isOfOthers } == .talk(.began(lookBack: 0)))
        // It is told again where it is asked for again.
        world.setTalking(bob, false)
        world.run(seconds: 0.5)
        #expect(bob.events.last { !$0.isOfOthers } == .talk(.ended))
    }

    @Test func nobodyIsHeard_whoHasNoVoice() {
        let world = VoiceWorld()
        let listener = world.add(Self.listening)
        let ann = world.add()
        world.run(seconds: 0.5)
        world.setTalking(listener, true)
        world.endInput(of: ann)
        world.setTalking(ann, true)
        world.setKey(ann, down: true)
        world.run(seconds: 0.5)
        #expect(listener.events == [.ready])
        #expect(ann.events == [.ready])
        #expect(!ann.session.isTalking && !listener.session.isTalking)
    }
}

extension VoiceEvent {
    /// Whether it is news of somebody else.
    fileprivate var isOfOthers: Bool { if case .person = self { true } else { false } }
}
