import BeamscribeCore
import BeamscribeIO
public import BeamscribeVoice

/// What becomes of a microphone and a loudspeaker.
public enum DeviceNews: Equatable, Sendable {
    /// This is used from now on: what people call it. It may take another's place.
    case uses(SoundDevice.Direction, String, isChange: Bool)
    /// There is none just now; it goes on when there is one.
    case missing(SoundDevice.Direction)
    /// The sound server is gone; it goes on when there is one.
    case lost
    /// The microphone is open, or closed.
    case microphone(isOpen: Bool)
    /// There is no sound to be had, and never was: why.
    case refused(String)
}

/// A device that may be chosen.
public struct DeviceChoice: Equatable, Sendable {
    /// The device.
    public var device: SoundDevice
    /// Whether it is the one that is used, or would be.
    public var isUsed: Bool
}

/// A microphone and a loudspeaker: whatever the system has in the place of those that are wanted, for as long as it is
/// wanted.
///
///     apart --connected--> looking --all was told--> open --the server is gone--> apart ...
///
/// The microphone is open from when it is wanted until 30 s after. What was there once is waited for for ever.
///
/// Invariant: ports are those of `server`, and none is open before it has told what there is.
final class DeviceSound {
    /// Which devices.
    struct Choice {
        /// The microphone; nil for none.
        var microphone: SoundEnd?
        /// The loudspeaker; nil for none.
        var speaker: SoundEnd?
        /// What is to wait for the loudspeaker besides, in samples.
        var margin = 0

        fileprivate func end(_ direction: SoundDevice.Direction) -> SoundEnd? {
            direction == .microphone ? microphone : speaker
        }

        fileprivate mutating func set(_ device: SoundDevice) {
            switch device.direction {
            case .microphone: microphone = .device(device.name)
            case .speaker: speaker = .device(device.name)
            }
        }
    }

    /// Who hears and is heard.
    struct Listener {
        /// The microphone has heard this, and before it samples were lost.
        var hear: (_ samples: [Float], _ dropped: Int) -> Void
        /// What the loudspeaker is to say next.
        var give: (_ count: Int) -> [Float]
        var happened: (DeviceNews) -> Void
    }

    /// Connects with a sound server, or says why not. It is the one of a name, where there was one before: who waits for it
    /// does not want its devices by another door.
    typealias Connect = (_ name: String?, _ news: @escaping (SoundServerNews) -> Void)
        throws(SoundServerError) -> any SoundServer

    private static let directions: [SoundDevice.Direction] = [.speaker, .microphone]
    /// What is asked for at once at most: 50 ms. A period that is asked for in parts would have to be there as a whole, too.
    private static let most = OpusPacket.clock / 20
    /// What is asked for at once at least: 1 ms.
    private static let least = OpusPacket.clock / 1_000
    /// For how long a microphone stays open that nobody wants.
    private static let idle: Duration = .seconds(30)
    /// For how long a stream may be without a device before it is said.
    private static let gap: Duration = .seconds(1)
    /// The same of a stream that is new: a session manager may have much to do when it begins.
    private static let introduction: Duration = .seconds(5)
    /// For how long a server may say nothing at all: one that was stopped is none.
    static let answer: Duration = .seconds(5)
    private static let patience: ClosedRange<Duration> = .milliseconds(250) ... .seconds(5)

    private var choice: Choice
    private let loop: any Loop
    private let listener: Listener
    private let connect: Connect
    private var server: (any SoundServer)?
    private var serverName: String?
    private var hasTold = false
    private var isLost = false
    private var ports: [SoundDevice.Direction: Port] = [:]
    private var cushion: PlayoutCushion
    /// What is used, while it is there.
    private var used: [SoundDevice.Direction: SoundDevice] = [:]
    /// What was there once.
    private var known: Set<SoundDevice.Direction> = []
    private var missing: Set<SoundDevice.Direction> = []
    /// Those that are the usual one in place of what was named.
    private var substitutes: Set<SoundDevice.Direction> = []
    /// Those whose named device is known not to be there.
    private var absent: Set<SoundDevice.Direction> = []
    private var delay = patience.lowerBound
    @OwnedTimer private var closing: LoopTimer?
    @OwnedTimer private var retrying: LoopTimer?
    @OwnedTimer private var waiting: LoopTimer?
    @OwnedTimer private var looking: LoopTimer?

    private struct Port {
        let port: any SoundPort
        var faults = 0
        /// Since when it has had no device; nil where it has one.
        var lacksSince: Duration?
        var hadDevice = false
    }

    /// Whether somebody would hear the microphone.
    var isMicrophoneWanted = false {
        didSet { if isMicrophoneWanted != oldValue { settleMicrophone() } }
    }

    init(
        _ choice: Choice, on loop: any Loop, for listener: Listener, connect: @escaping Connect
    ) {
        (self.choice, self.loop, self.listener, self.connect) = (choice, loop, listener, connect)
        cushion = PlayoutCushion(margin: choice.margin)
    }

    /// Begins.
    func begin() { reach() }

    /// Ends: nothing is open any more.
    func end() {
        (closing, retrying, looking, waiting) = (nil, nil, nil, nil)
        ports = [:]
        server = nil
    }

    // MARK: Another choice

    /// What there is to choose from, of the kinds that are wanted at all.
    var devices: [DeviceChoice] {
        (server?.devices ?? []).compactMap { device in
            guard case .device(let name)? = choice.end(device.direction) else { return nil }
            let used = used[device.direction]?.name ?? name
            return DeviceChoice(
                device: device, isUsed: used.map { $0 == device.name } ?? device.isUsual)
        }
    }

    /// Uses another device of its kind from now on.
    func choose(_ device: SoundDevice) {
        let direction = device.direction
        guard choice.end(direction) != nil else { return }
        choice.set(device)
        // It was there: if it is not any more, what the system uses takes its place.
        known.insert(direction)
        substitutes.remove(direction)
        absent.remove(direction)
        if hasTold, ports[direction] != nil { open(direction) }
    }

    // MARK: The server

    private func reach() {
        do throws(SoundServerError) {
            server = try connect(serverName) { [weak self] in self?.take($0) }
            waiting = loop.schedule(after: Self.answer) { [unowned self] in
                fail(SoundServerError("the sound server does not answer"))
            }
        } catch {
            fail(error)
        }
    }

    private func take(_ news: SoundServerNews) {
        switch news {
        case .told: openAll()
        case .changed:
            look()
            Self.directions.forEach(noteReturn)
        case .lost: fail(SoundServerError("the sound server is gone"))
        }
    }

    private func openAll() {
        guard let server, !hasTold else { return }
        waiting = nil
        for direction in Self.directions where !known.contains(direction) {
            guard case .device(let name)? = choice.end(direction) else { continue }
            if let error = server.refusal(of: direction, name) { return fail(error) }
        }
        (hasTold, serverName) = (true, server.name)
        (isLost, delay) = (false, Self.patience.lowerBound)
        reopen()
    }

    /// What never was is refused; what was is tried again.
    private func fail(_ error: SoundServerError) {
        (closing, looking, waiting) = (nil, nil, nil)
        closeMicrophone()
        (ports, substitutes, absent) = ([:], [], [])
        (server, hasTold, used) = (nil, false, [:])
        guard !known.isEmpty else { return listener.happened(.refused("\(error)")) }
        if !isLost {
            isLost = true
            listener.happened(.lost)
        }
        retryLater()
    }

    private func retryLater() {
        retrying = loop.schedule(after: delay) { [unowned self] in retry() }
        delay = min(delay * 2, Self.patience.upperBound)
    }

    private func retry() {
        guard server != nil else { return reach() }
        reopen()
        substitutes.forEach(takeBack)
    }

    // MARK: Ports

    private func settleMicrophone() {
        guard choice.microphone != nil, hasTold else { return }
        closing = nil
        if isMicrophoneWanted {
            if ports[.microphone] == nil { open(.microphone) }
        } else if ports[.microphone] != nil {
            closing = loop.schedule(after: Self.idle) { [unowned self] in closeMicrophone() }
        }
    }

    private func closeMicrophone() {
        guard ports.removeValue(forKey: .microphone) != nil else { return }
        used[.microphone] = nil
        listener.happened(.microphone(isOpen: false))
    }

    private func reopen() {
        if choice.speaker != nil, ports[.speaker] == nil { open(.speaker) }
        settleMicrophone()
    }

    private func open(_ direction: SoundDevice.Direction) {
        guard let server, case .device(let name)? = choice.end(direction) else { return }
        do throws(SoundServerError) {
            use(try port(direction, name, of: server), direction)
            substitutes.remove(direction)
        } catch {
            // In the place of what was there, and is gone, the usual one will do.
            guard name != nil, known.contains(direction),
                let port = try? port(direction, nil, of: server)
            else { return refuse(direction, error) }
            use(port, direction)
            substitutes.insert(direction)
            retryLater()
        }
    }

    private func port(
        _ direction: SoundDevice.Direction, _ name: String?, of server: any SoundServer
    ) throws(SoundServerError) -> any SoundPort {
        try server.open(direction, name) { [weak self] in self?.exchange(direction) }
    }

    private func use(_ port: any SoundPort, _ direction: SoundDevice.Direction) {
        let isNew = ports.updateValue(Port(port: port), forKey: direction) == nil
        if isNew, direction == .microphone { listener.happened(.microphone(isOpen: true)) }
        look()
    }

    private func takeBack(_ direction: SoundDevice.Direction) {
        guard let server, ports[direction] != nil, case .device(let name)? = choice.end(direction)
        else { return }
        guard let port = try? port(direction, name, of: server) else { return retryLater() }
        substitutes.remove(direction)
        use(port, direction)
    }

    private func refuse(_ direction: SoundDevice.Direction, _ error: SoundServerError) {
        guard known.contains(direction) else { return listener.happened(.refused("\(error)")) }
        lose(direction)
        retryLater()
    }

    private func exchange(_ direction: SoundDevice.Direction) {
        guard let port = ports[direction]?.port else { return }
        switch direction {
        case .microphone: take(port)
        case .speaker: fill(port)
        }
        // Whoever listens may have ended it.
        guard let now = ports[direction], now.port.hasFailed else { return }
        if direction == .microphone { closeMicrophone() }
        ports[direction] = nil
        refuse(direction, SoundServerError("the \(direction.rawValue) is gone"))
    }

    private func take(_ port: any SoundPort) {
        let samples = port.read()
        let faults = port.faults
        let lost = faults - (ports[.microphone]?.faults ?? 0)
        ports[.microphone]?.faults = faults
        // What is older than what was lost is too old, too.
        if lost > 0 {
            listener.hear([], lost + samples.count)
        } else if !samples.isEmpty {
            listener.hear(samples, 0)
        }
    }

    private func fill(_ port: any SoundPort) {
        let wanted = cushion.wanted(period: port.period, faults: port.faults, now: loop.uptime)
        while port.level < wanted {
            let lacking = wanted - port.level
            let count = min(max(lacking, Self.least), Self.most)
            let isTaken = listener.give(count).withUnsafeBufferPointer { port.write($0) }
            guard isTaken else { return }
        }
    }

    /// What was named takes the place again of what a server gave instead of it, once: somebody may want it otherwise.
    private func noteReturn(_ direction: SoundDevice.Direction) {
        guard let server, case .device(let name?)? = choice.end(direction) else { return }
        guard server.refusal(of: direction, name) == nil else {
            absent.insert(direction)
            return
        }
        if absent.remove(direction) != nil, used[direction]?.name != name { takeBack(direction) }
    }

    // MARK: Which devices they are

    private func look() {
        for direction in Self.directions {
            guard let port = ports[direction] else { continue }
            guard let device = port.port.device else {
                ports[direction]?.lacksSince = port.lacksSince ?? loop.uptime
                continue
            }
            ports[direction]?.lacksSince = nil
            ports[direction]?.hadDevice = true
            missing.remove(direction)
            known.insert(direction)
            let before = used.updateValue(device, forKey: direction)
            if before?.name != device.name {
                listener.happened(
                    .uses(direction, device.description, isChange: before != nil))
            }
        }
        lookAgain()
    }

    /// Looks again in a while where a stream has no device yet, or no more.
    private func lookAgain() {
        let lacking = Self.directions.filter { ports[$0]?.lacksSince != nil }
        looking = lacking.isEmpty ? nil : looking
        guard looking == nil, !missing.isSuperset(of: lacking) else { return }
        looking = loop.schedule(after: Self.gap) { [unowned self] in
            looking = nil
            let now = loop.uptime
            for direction in Self.directions {
                guard let port = ports[direction], let since = port.lacksSince else { continue }
                if now - since >= (port.hadDevice ? Self.gap : Self.introduction) {
                    lose(direction)
                    // What a session manager did not link at first it may have overlooked.
                    if !port.hadDevice { open(anew: direction) }
                }
            }
            lookAgain()
        }
    }

    private func open(anew direction: SoundDevice.Direction) {
        if direction == .microphone { closeMicrophone() }
        ports[direction] = nil
        retryLater()
    }

    private func lose(_ direction: SoundDevice.Direction) {
        used[direction] = nil
        if missing.insert(direction).inserted { listener.happened(.missing(direction)) }
    }
}
