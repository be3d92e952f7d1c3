public import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import Logging
import NIOCore
import NIOPosix

/// Serves an event's page and captions to browsers, on a thread of its own.
public final class WebServer: Sendable {
    /// Where browsers find the page.
    public let port: UInt16
    public let configuration: WebConfiguration

    private let host: FeedSource
    private let halls: PhoneHalls
    private let floor: FloorHub
    private let hall: ConnectionHall
    private let threads: MultiThreadedEventLoopGroup
    private let place: ServingPort
    private let beating: Task<Void, Never>

    /// Begins to serve the captions of a host that was started, or of a guest that serves its event.
    ///
    /// - Throws: ``WebError``.
    public init(_ configuration: WebConfiguration, for host: FeedSource) async throws(WebError) {
        self.configuration = configuration
        self.host = host
        var certificate: PageCertificate?
        if let files = configuration.certificate { certificate = try PageCertificate(files) }
        threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let executor = WebExecutor(threads.next())
        // Guests of the wire come first: whoever has installed the program wants it for its speed.
        executor.loop.execute { ThreadPriority.makeWay() }
        hall = ConnectionHall()
        halls = PhoneHalls(host, on: executor, maximum: configuration.maximumPhones)
        await halls.begin()
        floor = FloorHub(host, on: executor)
        if certificate != nil || configuration.offersPlainFloor { await floor.begin() }
        let routes = WebRoutes(
            host: host, halls: halls, floor: floor,
            access: WebAccess(
                configuration.token, session: await host.greeting().session,
                isSecure: configuration.certificate != nil),
            desk: DownloadDesk(), history: HistoryBook(),
            historyDesk: DownloadDesk(limit: Limits.historyAnswers),
            names: PageNames(
                machine: HostNameResolver.fullName,
                given: configuration.names + (certificate?.names ?? [])),
            proxies: PageProxies(configuration.proxies), sharesMetrics: configuration.sharesMetrics)
        do {
            place = try await WebListener(
                routes: routes, configuration: configuration, certificate: certificate,
                threads: threads, executor: executor, hall: hall
            ).listen()
        } catch {
            // The host must not go on to give captions to a thread that is gone.
            await halls.end()
            try? await threads.shutdownGracefully()
            throw error
        }
        port = place.number
        beating = Task { [halls] in
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: Limits.beatInterval)) != nil else { return }
                await halls.tellBeat()
            }
        }
        // Where a browser begins: RFC 6763 leaves it to the service, and `path` is what printers and
        // routers use.
        var txt = TXTRecord()
        txt.set("path", "/")
        await host.announce(
            Advertisement(
                name: await host.greeting().eventName,
                type: configuration.certificate == nil ? "_http._tcp" : "_https._tcp",
                port: port, txt: txt))
        await host.opened(
            OpenedPage(
                PageDoor(isSecure: configuration.certificate != nil, port: port),
                link: configuration.token?.text))
    }

    public var phoneCount: Int {
        get async { await halls.count }
    }

    /// Ends the page of a host that is done, once phones have the rest, and whoever is getting a
    /// transcript has it, or after a while.
    public func stop() async {
        // It has no end of its own that could be waited for.
        await floor.end()
        let deadline = ContinuousClock.now + configuration.farewell
        while await owesAnswers, ContinuousClock.now < deadline {
            try? await Task.sleep(for: Limits.webFarewellLook)
        }
        beating.cancel()
        // Nothing may be left to do on the thread when it ends.
        await beating.value
        await halls.end()
        await place.close()
        let hall = hall
        // Whoever takes nothing would be waited for.
        try? await threads.next().submit { hall.closeAll() }.get()
        _ = try? await place.serving.value
        try? await threads.shutdownGracefully()
    }

    /// Whether anybody has not got all that was asked for: captions are, to the end.
    private var owesAnswers: Bool {
        get async {
            let hall = hall
            return (try? await threads.next().submit { hall.owesAnswers }.get()) ?? false
        }
    }
}
