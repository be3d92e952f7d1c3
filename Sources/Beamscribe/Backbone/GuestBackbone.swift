import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// A guest's way to its event by a server that keeps it: a network that leads there, too.
///
/// Invariant: at most one stream is served at a time, the newest.
final class GuestBackbone: Network {
    /// Told once the server is there again.
    var cameBack: () -> Void = {}
    /// Told why it is not.
    var isAway: (String) -> Void = { _ in }

    private let network: any Network
    private let name: String
    private let backbone: any Backbone
    private let reader: BackboneReader
    private weak var stream: BackboneByteStream?
    /// Why the server is away; nil while it is there, or that is not known yet.
    private var trouble: String?
    @OwnedTimer private var next: LoopTimer?

    /// - Returns: nil where the program was built without what this needs.
    init?(
        _ place: BackbonePlace, beside network: any Network, in surroundings: any Surroundings
    ) throws(StartError) {
        let crypto = try needed(LogSHA256(), orElse: StartError.cannotSecure)
        guard
            let backbone = try needed(
                surroundings.backbone(at: place.server), orElse: StartError.cannotBegin)
        else { return nil }
        (self.network, self.backbone, name) = (network, backbone, place.server.name)
        reader = BackboneReader(of: place.event, isOpen: false, proving: crypto)
        backbone.begin { [unowned self] in take($0) }
        tick()
    }

    private static let interval = Duration.milliseconds(250)
    /// Bytes that wait for the guest before no more is taken from the server.
    private static let waitingBytes = 1_048_576

    private func tick() {
        next = loop.schedule(after: Self.interval) { [unowned self] in tick() }
        backbone.ask(reader.tick(now: loop.uptime))
        serve()
    }

    private func take(_ event: BackboneEvent) {
        backbone.ask(reader.take(event, now: loop.uptime))
        switch event {
        case .connected:
            trouble = nil
            cameBack()
        case .disconnected(let why):
            trouble = why
            isAway(why)
        default: break
        }
        serve()
    }

    private func serve() {
        guard let stream else { return }
        backbone.ask(stream.desk.tick(now: loop.now))
        backbone.isPaused = stream.desk.waitingBytes > Self.waitingBytes
        stream.serve()
    }

    // MARK: The guest's end

    fileprivate func taken() {
        guard let stream else { return }
        backbone.isPaused = stream.desk.waitingBytes > Self.waitingBytes
    }

    fileprivate func said(_ bytes: UnsafeRawBufferPointer) {
        guard let stream else { return }
        backbone.ask(stream.desk.received(bytes, now: loop.now))
        serve()
    }

    fileprivate func closed(_ desk: BackboneDesk) {
        // Another may have begun to read by now.
        guard stream == nil || stream?.desk === desk else { return }
        backbone.ask(desk.close())
        backbone.isPaused = false
    }

    // MARK: A network

    var loop: any Loop { network.loop }

    func connect(to destination: Destination) throws(SystemError) -> any ByteStream {
        guard destination == .backbone else { return try network.connect(to: destination) }
        if let trouble {
            throw SystemError(
                "reach", name, code: 0, refusal: Refusal(reason: trouble, advice: ""))
        }
        if let old = stream { backbone.ask(old.desk.close()) }
        let made = BackboneByteStream(
            BackboneDesk(reading: reader, called: name, Timing(), now: loop.now), on: self)
        stream = made
        return made
    }

    func listen(
        at endpoint: Endpoint
    ) throws(SystemError) -> (listener: any ConnectionListener, endpoint: Endpoint) {
        try network.listen(at: endpoint)
    }

    func listenForChannels() throws(SystemError) -> (listener: any ConnectionListener, psm: UInt8) {
        try network.listenForChannels()
    }

    func interfaceAddresses() -> [Interfaces.Entry] { network.interfaceAddresses() }

    func watchAddresses(_ changed: @escaping () -> Void) throws(SystemError) -> AnyObject {
        try network.watchAddresses(changed)
    }

    var openFiles: Int { network.openFiles }
}

/// Where a guest's event is kept.
public struct BackbonePlace: Sendable, Equatable {
    /// The server.
    public var server: BackboneServer
    /// The event's id.
    public var event: UUID

    /// An event at a server.
    public init(_ server: BackboneServer, of event: UUID) {
        (self.server, self.event) = (server, event)
    }
}

/// The guest's end of what a ``BackboneDesk`` serves, within this process.
private final class BackboneByteStream: ByteStream {
    let desk: BackboneDesk
    private weak var backbone: GuestBackbone?
    private var handler: ((Interest) -> Void)?
    var interest: Interest = [] {
        didSet { wake() }
    }
    @OwnedTimer private var waking: LoopTimer?

    init(_ desk: BackboneDesk, on backbone: GuestBackbone) {
        (self.desk, self.backbone) = (desk, backbone)
    }

    deinit {
        backbone?.closed(desk)
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
        backbone?.said(bytes)
        return .bytes(bytes.count)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Transfer {
        let bytes = desk.take(buffer.count)
        guard !bytes.isEmpty else { return desk.isClosed ? .endOfStream : .wouldBlock }
        buffer.copyBytes(from: bytes)
        backbone?.taken()
        return .bytes(bytes.count)
    }

    func finishSending() {}

    func connectionError(to destination: Destination) -> SystemError? { nil }

    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        self.handler = handler
        self.interest = interest
    }

    func ignore() { (handler, waking) = (nil, nil) }

    /// There may be something to be read.
    func serve() { wake() }

    private var readiness: Interest {
        var ready: Interest = .write
        if desk.waitingBytes > 0 || desk.isClosed { ready.insert(.read) }
        return ready.intersection(interest)
    }

    /// Never from within what the guest does.
    private func wake() {
        guard handler != nil, waking == nil, !readiness.isEmpty else { return }
        waking = backbone?.loop.schedule(after: .zero) { [weak self] in
            // What the guest does may be to let go of this.
            guard let self else { return }
            waking = nil
            let ready = readiness
            guard !ready.isEmpty else { return }
            handler?(ready)
            wake()
        }
    }
}
