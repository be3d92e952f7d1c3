import BeamscribeCore

/// Whether what the microphone hears is sent: by a key, by itself when somebody speaks, or always.
///
///     closed --key, voice or open--> open --key, silence, or left on by mistake--> closed
///
/// Talking is never left on by accident: a key falls back after a minute in which nothing was to be heard, and
/// after five in all, and says so before. All times are in milliseconds of sound that was heard, so that it
/// has no clock.
///
/// Invariant: where the microphone may not be used, it is closed.
public struct TalkGate: Sendable {
    /// What opens it.
    public enum Mode: Sendable, Equatable {
        /// A key that is held, or that turns it on and off.
        case pushToTalk
        /// Speech, as far as its level tells.
        case voice
        /// Nothing: it is open.
        case open
    }

    /// What is to be told.
    public enum Event: Sendable, Equatable {
        /// A talk begins. Sound of so long before is part of it, in milliseconds.
        case began(lookBack: Double)
        /// A talk ends.
        case ended
        /// It ends by itself in 5 s.
        case endsSoon
        /// It has ended by itself, as nobody had spoken, or for too long.
        case fellBack
        /// The microphone gives nothing at all.
        case microphoneIsSilent
        /// The microphone is too loud: its sound is cut.
        case microphoneClips
    }

    private static let quietLimit = 60_000.0
    private static let talkLimit = 300_000.0
    private static let notice = 5_000.0
    private static let hangOver = 200.0
    private static let lookBack = 60.0
    private static let zeroLimit = 3_000.0
    /// How long after a refusal it is tried again where there is no key.
    private static let refusalPause = 2_000.0
    /// What a key's sound has to reach to count as somebody's, in decibels.
    private static let quiet = -50.0
    /// By how much speech is louder than what is always there, in decibels.
    private static let distance = 10.0

    /// What opens it.
    public let mode: Mode
    /// Whether it is open.
    public private(set) var isOpen = false
    /// Whether the microphone is muted whatever is pressed.
    public private(set) var isMuted = false

    private var isKeyDown = false
    /// How long it stays closed, as the last talk was refused.
    private var heldFor = 0.0
    private var meter = LevelMeter()
    /// What is always there, in decibels; nil before anything was heard.
    private var floor: Double?
    private var sinceSpeech = Double.infinity
    private var sinceBegin = 0.0
    private var hasWarned = false
    private var hasToldOfZeros = false
    private var hasToldOfClipping = false

    /// A gate that is closed until sound comes, or a key.
    public init(mode: Mode) {
        self.mode = mode
    }

    /// The level of the microphone, in decibels of full scale.
    public var level: Double { meter.decibels }

    // MARK: Keys

    /// The key is pressed or released. Without a key to press it does nothing.
    public mutating func setKey(down: Bool) -> [Event] {
        guard mode == .pushToTalk, isKeyDown != down else { return [] }
        isKeyDown = down
        return settle()
    }

    /// Whether a talk is wanted: the key is down, or where there is none, nothing is muted.
    public var isWanted: Bool { hasKey ? isKeyDown : !isMuted }

    /// Whether a key opens it.
    var hasKey: Bool { mode == .pushToTalk }

    /// A talk is to begin, or to end, whatever opens the microphone: without a key it is muted.
    public mutating func setWanted(_ isWanted: Bool) -> [Event] {
        mode == .pushToTalk ? setKey(down: isWanted) : setMuted(!isWanted)
    }

    /// The microphone may not be used any more, or again.
    public mutating func setMuted(_ isMuted: Bool) -> [Event] {
        self.isMuted = isMuted
        heldFor = 0
        return settle()
    }

    /// The connection is gone, or the microphone is another: whoever talks by a key has to press it again. Who is muted stays
    /// so.
    public mutating func letGo() -> [Event] {
        isKeyDown = false
        heldFor = 0
        (hasToldOfZeros, hasToldOfClipping) = (false, false)
        meter = LevelMeter()
        sinceSpeech = .infinity
        return isOpen ? close(.ended) : []
    }

    /// The host has refused the talk. Without a key to press again it is tried again in a while.
    public mutating func refused() -> [Event] {
        let events = letGo()
        heldFor = Self.refusalPause
        return events
    }

    // MARK: Sound

    /// The microphone has heard something.
    public mutating func hear(_ samples: UnsafeBufferPointer<Float>) -> [Event] {
        let length = OpusPacket.milliseconds(of: samples.count)
        meter.add(samples)
        heldFor = max(0, heldFor - length)
        // What is always there: comes down at once, rises by 3 dB in a second.
        let level = max(meter.newest, -80)
        let floor = min(level, self.floor.map { $0 + length * 0.003 } ?? level)
        self.floor = floor
        let isSpeech =
            meter.newest > Self.quiet
            && (mode != .voice || meter.newest > floor + Self.distance)
        sinceSpeech = isSpeech ? 0 : sinceSpeech + length
        if isOpen { sinceBegin += length }
        return warnings() + settle()
    }

    private mutating func warnings() -> [Event] {
        guard isOpen else { return [] }
        var events: [Event] = []
        let zeros = OpusPacket.milliseconds(of: meter.zeros)
        if zeros >= Self.zeroLimit, sinceBegin >= Self.zeroLimit, !hasToldOfZeros {
            hasToldOfZeros = true
            events.append(.microphoneIsSilent)
        }
        if meter.clippedShare > 0.01, !hasToldOfClipping {
            hasToldOfClipping = true
            events.append(.microphoneClips)
        }
        guard mode == .pushToTalk else { return events }
        let left = min(Self.quietLimit - sinceSpeech, Self.talkLimit - sinceBegin)
        if left <= 0 {
            isKeyDown = false
            events.append(close(.fellBack)[0])
        } else if left <= Self.notice {
            if !hasWarned { events.append(.endsSoon) }
            hasWarned = true
        } else {
            hasWarned = false
        }
        return events
    }

    private mutating func settle() -> [Event] {
        let isWanted =
            switch mode {
            case .open: heldFor == 0
            case .pushToTalk: isKeyDown
            case .voice: heldFor == 0 && sinceSpeech < Self.hangOver
            }
        if isWanted, !isMuted, !isOpen {
            isOpen = true
            (sinceBegin, hasWarned) = (0, false)
            if mode != .voice { sinceSpeech = 0 }
            return [.began(lookBack: mode == .voice ? Self.lookBack : 0)]
        }
        return isOpen && (!isWanted || isMuted) ? close(.ended) : []
    }

    private mutating func close(_ event: Event) -> [Event] {
        isOpen = false
        return [event]
    }
}
