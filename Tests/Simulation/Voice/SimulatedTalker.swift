import BeamscribeCore
import BeamscribeVoice

/// Somebody on a host's voice channels: the real session, its devices, and all that it has heard.
final class SimulatedTalker {
    /// A stretch of time in which the microphone was open for others.
    struct Talk {
        let channel: String
        /// In samples of 48 kHz since the run began.
        let begin: Int
        /// Nil while it is on.
        var end: Int?
    }

    let number: Int
    let part: VoiceScenario.Part
    var name: String { "talker \(number)" }
    private(set) lazy var session = makeSession()
    private(set) var connection: VoiceConnection?
    /// The faults that befall its datagrams.
    var path = VoicePathFaults()
    /// The datagrams' port of the connection.
    private(set) var port = 0

    /// The channels on which it talks and that it hears, as its user was told last.
    private(set) var talksOn: String?
    private(set) var hears: Set<String>
    /// Whether it speaks into a microphone that no key opens.
    var isSpeaking = false
    /// Until when its machine sleeps or its microphone gives nothing, in microseconds.
    var sleepsUntil = 0
    var dropsUntil = 0
    /// Since when the host takes no voice from its device, in samples.
    var putOutAt: Int? { didSet { if putOutAt != nil { mayBeTurnedAway = true } } }
    /// Whether it may yet be told that it was put out.
    private var mayBeTurnedAway = false
    /// Its talks, the newest last.
    private(set) var talks: [Talk] = []
    /// The frames of the talk that is watched.
    private(set) var made: [SpokenFrame] = []
    /// The end of what its microphone had heard when its newest talk ended, in samples.
    private(set) var spokenThrough = 0
    /// The frames of each talker that it has heard since the watch began.
    private(set) var heard: [Int: [SpokenFrame]] = [:]
    /// The longest time from mouth to decoder since the watch began, in milliseconds.
    private(set) var longestDelay = 0.0
    /// The time of its loudspeaker's sound since the watch began, in milliseconds.
    private(set) var sound = 0
    /// The end of the newest frame that it has heard of each, in samples.
    private var newest: [Int: Int] = [:]
    /// The others as its user was told: their names and channels, and how many are there of each.
    private(set) var told: [String: Int] = [:]
    private(set) var isToldTunnelled = false
    /// Whether its user was told that a talk was refused since the watch began.
    private(set) var isToldRefused = false
    /// Whether its key was pressed since it is on its channels.
    private var isKeyPressed = false

    private unowned let stage: VoiceStage
    private var world: World { stage.world }
    private var outbox = VoiceOutbox<VoiceHost>()
    private var lastStep = 0

    init(_ stage: VoiceStage, number: Int, _ part: VoiceScenario.Part) {
        (self.stage, self.number, self.part) = (stage, number, part)
        (talksOn, hears) = (part.talksOn, Set(part.hears))
    }

    private func makeSession() -> VoiceSession {
        var configuration = VoiceSession.Configuration(
            talksOn: part.talksOn,
            hears: Dictionary(uniqueKeysWithValues: part.hears.map { ($0, 0) }),
            mode: part.mode, coding: part.coding)
        configuration.channel = part.channel
        return VoiceSession(
            configuration,
            encoder: SpokenEncoder(
                of: number, clock: { [unowned self] in samples },
                made: { [unowned self] in made.append($0) }),
            decoder: { [unowned self] in
                SpokenDecoder(
                    hear: { [unowned self] in hear($0) },
                    mixUp: { [unowned self] in world.fail("\(name): it hears two as one") })
            }, seed: world.seed)
    }

    private var now: Duration { .microseconds(world.now) }
    /// Now, in samples.
    private var samples: Int { stage.samples }
    var isAsleep: Bool { world.now < sleepsUntil }
    var address: Int { 1_000 * number + port }

    // MARK: Life

    func begin() {
        connect()
        stepLater()
        tickLater()
    }

    private func stepLater() {
        world.schedule(after: .milliseconds(10)) { [self] in
            if !isAsleep { step() }
            stepLater()
        }
    }

    private func tickLater() {
        world.schedule(after: .milliseconds(100)) { [self] in
            if !isAsleep { perform(session.tick(now: now, &outbox)) }
            tickLater()
        }
    }

    /// The devices give and take 10 ms.
    private func step() {
        if session.isHere, talksOn != nil, world.now >= dropsUntil { listenToMouth() }
        var ear = [Float](repeating: 0, count: 480)
        ear.withUnsafeMutableBufferPointer { session.give($0, now: now) }
        if !SpokenSound.isSilence(ear[240]) { sound += 10 }
    }

    private func listenToMouth() {
        let dropped = lastStep == 0 ? 0 : max(0, samples - 480 - lastStep)
        lastStep = samples
        // A talker with a key speaks all the time: nobody hears that while the key is up.
        let speaks = part.mode == .pushToTalk || isSpeaking
        let mouth =
            speaks
            ? Array(SpokenSound.said(at: samples - 480, count: 480))
            : [Float](repeating: 0, count: 480)
        perform(
            mouth.withUnsafeBufferPointer {
                session.hear($0, dropped: dropped, now: now, &outbox)
            })
    }

    // MARK: The connection

    func connect() {
        port += 1
        lastStep = 0
        connection = stage.connect(self)
    }

    func connected(to offer: VoiceOffer, _ connection: VoiceConnection) {
        perform(
            session.connected(to: offer) { key in
                SimulatedProtection(secret: connection.secret(key), side: .guest)
            })
    }

    /// It notices that its connection is gone.
    func lostConnection() {
        connection = nil
        perform(session.disconnected())
        guard !stage.isOver else { return }
        world.schedule(after: world.random(0...2_000_000)) { [self] in connect() }
    }

    func take(_ message: VoiceMessage) { perform(session.take(message, now: now)) }

    func receive(_ datagram: [UInt8]) {
        var bytes = datagram
        perform(bytes.withUnsafeMutableBytes { session.receive($0, now: now) })
    }

    /// Its datagrams come from another place from now on.
    func move() { port += 1 }

    // MARK: The user

    /// Begins or ends a talk, by the key where there is one.
    func setTalking(_ isOn: Bool) {
        guard !isAsleep else { return }
        isSpeaking = isOn
        if part.mode == .pushToTalk {
            if isOn, session.isHere { isKeyPressed = true }
            perform(session.setKey(down: isOn, now: now, &outbox))
            if !isOn { isKeyPressed = false }
        } else if !isOn || session.isMuted {
            perform(session.setTalking(isOn, now: now, &outbox))
        }
    }

    /// Goes to another channel, if the host lets it.
    func go(to channel: String) {
        guard !isAsleep else { return }
        perform(session.move(to: channel, now: now, &outbox))
        isKeyPressed = false
    }

    private func perform(_ actions: [VoiceSession.Action]) {
        for datagram in outbox.datagrams {
            stage.network.send(Array(outbox.bytes[datagram.range]), from: self)
        }
        outbox.clear()
        for action in actions {
            switch action {
            case .say(let message): connection?.send(.up, message)
            case .tell(let event): tell(event)
            }
        }
        noteTalk()
    }

    private func noteTalk() {
        let isOn = talks.last.map { $0.end == nil } ?? false
        guard session.isTalking != isOn else { return }
        world.note(name, "talks", isOn ? 0 : 1)
        if isOn {
            talks[talks.count - 1].end = samples
            spokenThrough = lastStep
        } else if let talksOn {
            talks.append(Talk(channel: talksOn, begin: samples))
            if part.mode == .pushToTalk, !isKeyPressed {
                world.fail("\(name): it talks, and nobody has pressed its key")
            }
        }
    }

    // MARK: What it is told

    private func tell(_ event: VoiceEvent) {
        switch event {
        case .ready:
            mayBeTurnedAway = false
            forgetOthers()
        case .moved(let channel): settle(on: channel)
        case .apart, .noVoices: forgetOthers()
        case .refused(let reason): refused(reason)
        case .path(let isTunnelled):
            isToldTunnelled = isTunnelled
            world.note(name, "goes by its connection", isTunnelled ? 1 : 0)
        case .person(let other, let channel, let news): tell(of: "\(other) on \(channel)", news)
        case .talkRefused:
            isToldRefused = true
            isKeyPressed = false
        case .talk(.fellBack): isKeyPressed = false
        case .talk, .stayed, .captioned: return
        }
    }

    private func forgetOthers() {
        told = [:]
        (isToldTunnelled, isKeyPressed) = (false, false)
    }

    private func settle(on channel: String) {
        forgetOthers()
        guard let first = part.channel else { return }
        hears = Set(part.hears)
        if channel != first, hears.remove(first) != nil || part.talksOn == first {
            hears.insert(channel)
        }
        if part.talksOn == first { talksOn = channel }
    }

    private func refused(_ reason: VoiceRefused.Reason?) {
        forgetOthers()
        world.note(name, "is refused")
        switch reason {
        case .off? where mayBeTurnedAway: return
        case .noRight? where !part.isAllowed: return
        default: world.fail("\(name): it may be here, and is refused")
        }
    }

    private func tell(of other: String, _ news: VoiceEvent.PersonNews) {
        switch news {
        case .came: told[other, default: 0] += 1
        case .left: told[other] = told[other].flatMap { $0 > 1 ? $0 - 1 : nil }
        case .talks, .stopped: return
        }
    }

    /// The others as its screen shows them: their names and channels, and whether they talk.
    var shown: [String: Bool] {
        session.others(now: now).reduce(into: [:]) {
            let name = "\($1.name) on \($1.channel)"
            $0[name] = $0[name] == true || $1.isTalking
        }
    }

    // MARK: What it hears

    /// Begins to watch anew.
    func beginWatch() {
        (made, heard, longestDelay, sound, isToldRefused) = ([], [:], 0, 0, false)
    }

    private func hear(_ frame: SpokenFrame) {
        guard let time = frame.time else { return }
        world.note(name, "hears", time)
        if let fault = stage.judge.fault(of: frame, said: time, heardBy: self) {
            return world.fail("\(name): \(fault)")
        }
        if time < newest[frame.talker] ?? 0 {
            world.fail("\(name): it hears talker \(frame.talker) say something twice")
        }
        newest[frame.talker] = time + frame.duration
        heard[frame.talker, default: []].append(frame)
        longestDelay = max(longestDelay, Double(samples - time) / 48)
    }
}
