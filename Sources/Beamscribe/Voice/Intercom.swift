import BeamscribeCore
import BeamscribeIO
public import BeamscribeVoice

/// A guest's part of an event's voices: what it says and what it hears, on a thread of its own that goes before all
/// others.
///
/// ```swift
/// let intercom = try Intercom(IntercomConfiguration(session))
/// configuration.intercom = intercom
/// let guest = try Guest(configuration)
/// await guest.start()
/// for await batch in intercom.events { ... }
/// ```
public actor Intercom {
    /// What happens, until it has ended.
    public nonisolated let events = EventBuffer<IntercomEvent>(limit: Limits.waitingEvents)

    nonisolated let configuration: IntercomConfiguration
    private nonisolated let thread: LoopThread
    private let session: VoiceSession
    private var sound: VoiceSound?
    private var tones = Tones()
    private var cleaner: VoiceCleaner?
    private var ducking = Ducking()
    private var isMicrophoneOpen = false
    /// What people call the devices that are used.
    private var used: [SoundDevice.Direction: String] = [:]
    private var socket: DatagramSocket?
    private var outbox = VoiceOutbox<VoiceHost>()
    private var keys = Keys()
    private var say: @Sendable (VoiceMessage) -> Void = { _ in }
    @OwnedTimer private var ticking: LoopTimer?
    private var isEnded = false

    private static let pause: Duration = .milliseconds(100)
    /// How often the socket is asked in a row before something else has its turn.
    private static let turns = 8

    /// What a connection has exported for the keys that the host has spoken of last.
    private final class Keys {
        var exported: (key: UInt32, bytes: [UInt8])?

        func protection(_ key: UInt32) -> (any VoiceProtection)? {
            guard let exported, exported.key == key else { return nil }
            return VoiceLibraries.protection(exported.bytes, at: .guest)
        }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Makes one, which begins with its guest.
    // Swift 6.3's optimizer fails ("circular reference") where another module makes an actor with an isolated deinit and
    // sees its memory allocated: hence two initializers.
    @inline(never)
    public init(_ configuration: IntercomConfiguration) throws(IntercomError) {
        guard VoiceLibraries.areHere else { throw .notBuilt }
        guard let encoder = VoiceLibraries.encoder(for: configuration.session.coding) else {
            throw .system("there is no memory left")
        }
        self.init(configuration, encoder, on: try IntercomError.thread())
    }

    private init(
        _ configuration: IntercomConfiguration, _ encoder: any AudioEncoder, on thread: LoopThread
    ) {
        (self.configuration, self.thread) = (configuration, thread)
        session = VoiceSession(
            configuration.session, encoder: encoder, decoder: { VoiceLibraries.decoder() },
            seed: .random(in: .min ... .max))
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    private nonisolated func perform(_ body: @escaping @Sendable (isolated Intercom) -> Void) {
        thread.perform { self.assumeIsolated(body) }
    }

    private var now: Duration { thread.loop.uptime }

    /// How one's own voice stands.
    public var state: IntercomState {
        IntercomState(
            isHere: session.isHere, isTalking: session.isTalking, isMuted: session.isMuted,
            isMicrophoneOpen: configuration.input?.raw != nil || isMicrophoneOpen,
            level: session.level, channel: session.channel)
    }

    /// The host's channels that the guest might go to, in the host's order.
    public var channels: [String] {
        session.channels(isCrew: configuration.crewCode != nil)
    }

    /// Leaves the channel for another, if the host lets it; its events tell what comes of it. A talk ends with that.
    public func move(to channel: String) { take(session.move(to: channel, now: now, &outbox)) }

    /// The key for talking is pressed or released. Where no key opens the microphone it does nothing.
    public func setKey(down: Bool) { take(session.setKey(down: down, now: now, &outbox)) }

    /// The microphones and loudspeakers that there are, of the kinds that are wanted at all.
    public var devices: [DeviceChoice] { sound?.choices ?? [] }

    /// Uses another device of its kind; a talk ends where that is a microphone.
    public func use(_ device: SoundDevice) { sound?.choose(device) }

    /// How the others are heard, by name.
    public var others: [VoicePersonState] { session.others(now: now) }

    /// A talk is to begin, or to end, whatever opens the microphone: where no key does, it is muted.
    public func setTalking(_ isWanted: Bool) {
        take(session.setTalking(isWanted, now: now, &outbox))
    }

    /// The same, for who has one key for both.
    public func toggleTalking() { take(session.toggleTalking(now: now, &outbox)) }

    /// Makes those of a name louder or quieter, also when they come back.
    ///
    /// - Returns: whether there is somebody of that name.
    public func setVolume(of name: String, decibels: Double) -> Bool {
        session.setVolume(of: name, decibels: decibels)
    }

    /// Hears nothing of those of a name, or hears them again.
    ///
    /// - Returns: whether there is somebody of that name.
    public func setMuted(_ isMuted: Bool, name: String) -> Bool {
        session.setMuted(isMuted, name: name)
    }

    // MARK: With its guest

    /// The guest begins.
    ///
    /// - Parameter say: says something to the host; called on the intercom's thread.
    nonisolated func begin(saying say: @escaping @Sendable (VoiceMessage) -> Void) {
        perform { $0.open(say) }
    }

    private func open(_ say: @escaping @Sendable (VoiceMessage) -> Void) {
        self.say = say
        prepareMicrophone()
        let isInTime = VoiceLibraries.hurry()
        if !isInTime { events.offer([.notInTime]) }
        do throws(SystemError) {
            let made = try VoiceSound(
                from: configuration.input, to: configuration.output, rate: configuration.rate,
                period: configuration.session.coding.period, isInTime: isInTime,
                on: thread.loop, for: listener)
            sound = made
            try made.begin()
        } catch {
            events.push([.inputEnded("\(error)")])
        }
        tickLater()
    }

    private func prepareMicrophone() {
        guard configuration.input?.isDevice == true, configuration.cleaning.isWanted else { return }
        cleaner = VoiceLibraries.cleaner(configuration.cleaning)
        if cleaner == nil { events.offer([.notCleaned]) }
        settleEcho()
    }

    private var hasHeadphones: Bool {
        used[.speaker].map(SoundDevice.soundsLikeHeadphones) ?? false
    }

    /// Whether others are quieter while one talks: whoever has a key for it, and a loudspeaker beside his microphone,
    /// would give back to them what it says.
    private var ducks: Bool {
        let hasBoth = [configuration.input, configuration.output].allSatisfy {
            $0?.isDevice == true
        }
        let hasKey = configuration.session.mode == .pushToTalk
        return configuration.ducks || hasKey && hasBoth && !hasHeadphones
    }

    /// There is no echo where nothing is played, nor of headphones.
    private func settleEcho() {
        guard configuration.output?.isDevice == true else { return }
        let wanted =
            switch configuration.cleaning.echo {
            case .auto: !hasHeadphones
            case .on: true
            case .off: false
            }
        if let cleaner, cleaner.cancelsEcho != wanted { cleaner.cancelsEcho = wanted }
    }

    private var listener: VoiceSound.Listener {
        VoiceSound.Listener(
            hear: { [unowned self] in hear($0, dropped: $1) },
            give: { [unowned self] in give($0) },
            happened: { [unowned self] in heard(of: $0) },
            trouble: { [events] in
                switch $0 {
                case .behind: events.push([.outputBehind])
                case .gone(let error): events.push([.outputGone(error.description)])
                }
            })
    }

    private func heard(of event: IntercomEvent) {
        events.push([event])
        switch event {
        case .device(let news): take(news)
        case .inputEnded, .inputUnusable: take(session.endTalking(&outbox))
        default: break
        }
    }

    private func take(_ news: DeviceNews) {
        switch news {
        case .microphone(let isOpen): isMicrophoneOpen = isOpen
        case .uses(let direction, let name, let isChange):
            used[direction] = name
            settleEcho()
            if direction == .microphone, isChange { fallSilent() }
        case .missing(let direction):
            used[direction] = nil
            if direction == .microphone { fallSilent() }
        case .lost:
            used = [:]
            fallSilent()
        case .refused: break
        }
    }

    /// Nobody is to be heard by a microphone that he did not choose. Who is heard by a stream has none.
    private func fallSilent() {
        guard configuration.input?.isDevice == true else { return }
        take(session.setTalking(false, now: now, &outbox))
    }

    private func hear(_ samples: [Float], dropped: Int) {
        let samples = cleaner?.clean(samples, afterGap: dropped > 0) ?? samples
        take(
            samples.withUnsafeBufferPointer {
                session.hear($0, dropped: dropped, now: now, &outbox)
            })
    }

    private func give(_ count: Int) -> [Float] {
        var ear = [Float](repeating: 0, count: count)
        ear.withUnsafeMutableBufferPointer { session.give($0, now: now) }
        if ducks { ducking.turn(down: session.isTalking, &ear) }
        if configuration.output?.isDevice == true { tones.mix(into: &ear) }
        cleaner?.play(ear)
        return ear
    }

    /// The guest has a connection to a host that offers this, or nothing.
    ///
    /// - Parameter host: where packets go.
    nonisolated func connected(to offer: VoiceOffer?, at host: Endpoint?) {
        perform { $0.connect(offer, host) }
    }

    private func connect(_ offer: VoiceOffer?, _ host: Endpoint?) {
        socket = nil
        if let host, offer != nil { open(host) }
        let made = Keys()
        keys = made
        take(session.connected(to: offer) { made.protection($0) })
    }

    /// Without it packets go by the connection.
    private func open(_ host: Endpoint) {
        do throws(SystemError) {
            let made = try DatagramSocket(to: host)
            try made.watch(on: thread.loop) { [unowned self] in read() }
            socket = made
        } catch {
            events.offer([.noWay("\(error)")])
        }
    }

    /// The host says something.
    ///
    /// - Parameter exported: the connection's 56 bytes for the keys that it speaks of.
    nonisolated func take(_ message: VoiceMessage, exported: (key: UInt32, bytes: [UInt8])?) {
        perform { intercom in
            if let exported { intercom.keys.exported = exported }
            intercom.take(intercom.session.take(message, now: intercom.now))
        }
    }

    /// The crew's code was not taken.
    nonisolated func refused(_ event: IntercomEvent) { events.push([event]) }

    /// The connection is gone.
    nonisolated func disconnected() {
        perform { intercom in
            (intercom.socket, intercom.keys) = (nil, Keys())
            intercom.take(intercom.session.disconnected())
        }
    }

    /// The guest has ended.
    nonisolated func end() {
        perform { intercom in
            guard !intercom.isEnded else { return }
            intercom.isEnded = true
            _ = intercom.session.disconnected()
            intercom.sound?.end()
            (intercom.sound, intercom.socket, intercom.ticking) = (nil, nil, nil)
            intercom.say = { _ in }
            intercom.events.finish()
        }
    }

    // MARK: Packets and time

    private func read() {
        let now = now
        var actions: [VoiceSession.Action] = []
        for _ in 0..<Self.turns {
            let mayBeMore = socket?.receive { packet, _ in
                actions += session.receive(packet, now: now)
            }
            guard mayBeMore == true else { break }
        }
        take(actions)
    }

    private func take(_ actions: [VoiceSession.Action]) {
        if let socket, !outbox.datagrams.isEmpty {
            let datagrams = outbox.datagrams
            outbox.bytes.withUnsafeBytes { bytes in
                socket.send(datagrams.count, of: bytes) { (datagrams[$0].range, .connected) }
            }
        }
        outbox.clear()
        for action in actions {
            switch action {
            case .say(let message): say(message)
            case .tell(let event): tell(event)
            }
        }
        sound?.settle(isHere: session.isHere, isTalkWanted: session.isTalkWanted)
    }

    private func tell(_ event: VoiceEvent) {
        switch event {
        case .apart: tones.play(.lost)
        case .talk(.endsSoon): tones.play(.endsSoon)
        case .talk(.fellBack), .talkRefused: tones.play(.refused)
        default: break
        }
        events.push([.session(event)])
    }

    private func tickLater() {
        ticking = thread.loop.schedule(after: Self.pause) { [unowned self] in tick() }
    }

    private func tick() {
        take(session.tick(now: now, &outbox))
        tickLater()
    }
}
