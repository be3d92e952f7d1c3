import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice

/// What the host itself says: the sound of the room, for all who hear the floor.
///
/// To the host's voices it is a guest like any other, whose packets need no network. They are protected all the same, by
/// keys that nobody else has: its source is there to be seen, and nobody is to speak in its name.
final class HostFloor {
    /// What it has to do with the host's voices.
    struct Voices {
        /// Says something, as a guest does over its connection.
        var say: (VoiceMessage) -> Void
        /// Sends a packet, as a guest does by UDP.
        var send: ([UInt8]) -> Void
    }

    /// What it is called where guests have their connections' numbers.
    static let id: ConnectionID = 0

    private let configuration: VoiceConfiguration.Floor
    private let loop: EventLoop
    private let news: @Sendable (FloorNews) -> Void
    private let exported: [UInt8]
    private let session: VoiceSession
    private var sound: VoiceSound?
    private var outbox = VoiceOutbox<VoiceHost>()
    private var voices = Voices(say: { _ in }, send: { _ in })

    /// - Parameter news: told of what becomes of it, on the loop's thread.
    /// - Returns: nil where there is no memory.
    init?(
        _ configuration: VoiceConfiguration.Floor, on loop: EventLoop, seed: UInt64,
        news: @escaping @Sendable (FloorNews) -> Void
    ) {
        guard let encoder = VoiceLibraries.encoder(for: .room) else { return nil }
        (self.configuration, self.loop, self.news) = (configuration, loop, news)
        var random = SecureRandom()
        exported = (0..<56).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let talk = TalkConfiguration(
            talksOn: VoiceChannel.floor.name, hears: [:], mode: .open, coding: .room)
        session = VoiceSession(talk, encoder: encoder, decoder: { nil }, seed: seed)
    }

    /// What the host's voices know of it.
    var applicant: VoiceForwarder.Voices.Applicant {
        var applicant = VoiceForwarder.Voices.Applicant(
            id: Self.id, name: configuration.name, isCrew: false, key: 0
        ) { [exported] in VoiceLibraries.protection(exported, at: .host) }
        (applicant.isHost, applicant.usual) = (true, VoiceCoding.room.shape)
        return applicant
    }

    /// Begins.
    func begin(_ offer: VoiceOffer, with voices: Voices) {
        self.voices = voices
        do throws(SystemError) {
            let made = try VoiceSound(
                from: configuration.input, to: nil, rate: configuration.rate, isInTime: true,
                on: loop,
                for: VoiceSound.Listener(
                    hear: { [unowned self] in hear($0, dropped: $1) },
                    give: { _ in [] },
                    happened: { [unowned self] in happened($0) }))
            sound = made
            try made.begin()
        } catch {
            news(.ended("\(error)"))
        }
        perform(
            session.connected(to: offer) { [exported] _ in
                VoiceLibraries.protection(exported, at: .guest)
            })
    }

    private func hear(_ samples: [Float], dropped: Int) {
        perform(
            samples.withUnsafeBufferPointer {
                session.hear($0, dropped: dropped, now: loop.uptime, &outbox)
            })
    }

    private func happened(_ event: IntercomEvent) {
        switch event {
        case .inputEnded(let why):
            perform(session.endTalking(&outbox))
            news(.ended(why))
        case .inputUnusable(let why):
            perform(session.endTalking(&outbox))
            news(.ended(why))
        case .device(.refused(let why)): news(.ended(why))
        case .device(let device): news(.device(device))
        default: break
        }
    }

    /// The host's voices say something to it.
    func take(_ message: VoiceMessage) { perform(session.take(message, now: loop.uptime)) }

    /// A packet came for it.
    func receive(_ packet: UnsafeMutableRawBufferPointer) {
        perform(session.receive(packet, now: loop.uptime))
    }

    /// Time has passed.
    func tick() { perform(session.tick(now: loop.uptime, &outbox)) }

    private func perform(_ actions: [VoiceSession.Action]) {
        for action in actions {
            switch action {
            case .say(let message): voices.say(message)
            case .tell(.talk(.microphoneIsSilent)): news(.silent)
            case .tell(.talk(.microphoneClips)): news(.tooLoud)
            case .tell: continue
            }
        }
        // What is sent may have an answer.
        let (datagrams, bytes) = (outbox.datagrams, outbox.bytes)
        outbox.clear()
        for datagram in datagrams { voices.send(Array(bytes[datagram.range])) }
        sound?.settle(isHere: session.isHere, isTalkWanted: session.isTalkWanted)
    }
}

/// What becomes of a host's own voice.
public enum FloorNews: Equatable, Sendable {
    /// Its sound has ended, or cannot be read any more: why.
    case ended(String?)
    /// There is news of the microphone that it is heard by.
    case device(DeviceNews)
    /// Nothing but silence comes in.
    case silent
    /// What comes in is too loud, and is cut.
    case tooLoud
}
