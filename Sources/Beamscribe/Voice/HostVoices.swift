import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice

/// A host's voices, as its own loop sees them: who may do what. Packets go another way (``VoiceForwarder``).
final class HostVoices {
    /// A guest who says something.
    struct Speaker {
        let id: ConnectionID
        /// For people.
        let name: String
        /// Which of all devices it is.
        let device: String
        /// What is held against whom: an address without its port.
        let source: String
        /// Where its connection comes from.
        let address: IPAddress?
        /// What only the two ends of its connection have.
        let exportedKey: (ExportedKey) -> [UInt8]?
    }

    /// Says something to a guest.
    var say: (VoiceMessage, ConnectionID) -> Void = { _, _ in } {
        didSet { crew?.say = say }
    }
    /// The door was closed to addresses by wrong codes.
    var closed: ([String]) -> Void = { _ in } {
        didSet { crew?.closed = closed }
    }
    /// What guests are told of it.
    let offer: VoiceOffer

    /// Whom packets go by, and who knows who is there.
    let forwarder: VoiceForwarder
    private let crew: CrewDesk?
    /// How many keys were made of each connection.
    private var keys: [ConnectionID: UInt32] = [:]

    /// - Parameters:
    ///   - listening: where guests come in: voices do by the same numbers, where they can be had.
    ///   - give: gets what is to be said to guests, on another thread.
    ///   - news: told of what becomes of the host's own voice, on another thread.
    init(
        _ configuration: VoiceConfiguration, at listening: [Endpoint], timeout: Duration,
        in surroundings: any Surroundings,
        give: @escaping @Sendable ([VoiceForwarder.Voices.Action]) -> Void,
        news: @escaping @Sendable (FloorNews) -> Void
    ) throws(SystemError) {
        let sockets = try Self.open(configuration.port, at: listening)
        offer = VoiceOffer(
            port: Int(sockets.first?.endpoint.port ?? 0),
            channels: configuration.channels.map(\.offered), ptime: TalkShape.frames,
            salt: configuration.crew?.salt)
        crew = configuration.crew.map {
            CrewDesk(
                $0, guests: configuration.maximumListeners + Limits.provingGuests,
                timeout: timeout, in: surroundings)
        }
        var room = VoiceForwarder.Voices.Configuration(
            channels: configuration.channels, maximumTalkers: configuration.maximumTalkers,
            maximumListeners: configuration.maximumListeners)
        room.captioned = Set(configuration.captions.map(\.channel))
        if configuration.floor != nil { room.captioned.insert(VoiceChannel.floor.name) }
        forwarder = VoiceForwarder(
            room, at: sockets, seed: surroundings.seed(), on: try LoopThread(), give: give)
        forwarder.perform { $0.open() }
        guard let floor = configuration.floor else { return }
        let (offer, seed) = (offer, surroundings.seed())
        forwarder.perform { $0.open(floor, offering: offer, seed: seed, news: news) }
    }

    /// Takes UDP ports by the event's own number, or all by another one.
    private static func open(
        _ wanted: UInt16?, at listening: [Endpoint]
    ) throws(SystemError) -> [DatagramSocket] {
        let number = wanted ?? listening.first?.port ?? 0
        do throws(SystemError) {
            return try open(number: number, at: listening)
        } catch {
            guard wanted == nil, error.isAddressInUse else { throw error }
            return try open(number: 0, at: listening)
        }
    }

    private static func open(
        number: UInt16, at listening: [Endpoint]
    ) throws(SystemError) -> [DatagramSocket] {
        var sockets: [DatagramSocket] = []
        // One for all addresses of both families is enough.
        let isForAll = listening.contains { $0.address.isAny && !$0.address.isIPv4 }
        for endpoint in listening where !isForAll || !endpoint.address.isIPv4 {
            let port = sockets.first?.endpoint.port ?? number
            sockets.append(try DatagramSocket(at: Endpoint(endpoint.address, port: port)))
        }
        return sockets
    }

    // MARK: Guests

    /// A guest says something.
    func hear(_ message: VoiceMessage, from guest: Speaker) {
        let id = guest.id
        switch message {
        case .join(let join): self.join(join, guest)
        case .talk(let talk): forwarder.perform { $0.talk(talk, by: id) }
        case .packet(let packet): forwarder.perform { $0.receive(packet, from: id) }
        case .code(let step):
            guard let crew else { return say(.refused(VoiceRefused(.wrongCode)), id) }
            crew.take(step, from: id, guest.source, guest.exportedKey(.code))
        case .joined, .refused, .peer, .wish, .captioned: return
        }
    }

    private func join(_ join: VoiceJoin, _ guest: Speaker) {
        let number = keys[guest.id, default: 0]
        guard let exported = guest.exportedKey(.voice(number)) else {
            return say(.refused(VoiceRefused(.off)), guest.id)
        }
        keys[guest.id] = number &+ 1
        let (id, name, isCrew) = (guest.id, guest.name, crew?.isProven(guest.id) ?? false)
        let (origin, address) = (guest.source, guest.address?.withoutMapping)
        let device = guest.device
        forwarder.perform {
            var applicant = VoiceForwarder.Voices.Applicant(
                id: id, name: name, isCrew: isCrew, key: number
            ) { VoiceLibraries.protection(exported, at: .host) }
            (applicant.origin, applicant.device) = (origin, device)
            applicant.mayBeAt = { $0.there.endpoint?.address.withoutMapping == address }
            $0.join(applicant, join)
        }
    }

    /// A guest's connection is gone.
    func left(_ id: ConnectionID) {
        keys[id] = nil
        crew?.left(id)
        forwarder.perform { $0.leave(id) }
    }
}
