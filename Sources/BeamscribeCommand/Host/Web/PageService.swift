import BeamscribeCore

#if Web
    import Beamscribe
    import BeamscribeCore
    import BeamscribeIO
    import BeamscribeWeb

    /// The page of an event, from the host's start to its end.
    struct PageService {
        private let server: WebServer
        /// The slide with the code, where one is wanted.
        let slide: String?

        /// Begins to serve what the options ask for; nil where they ask for no page.
        ///
        /// - Parameters:
        ///   - lastPort: where the page of the session was that goes on: it stays where people know it.
        ///   - link: what its link carried, or that of the event's other page.
        ///   - hasCode: whether only who has the event's link may read.
        static func begin(
            _ options: HostWebOptions, for host: FeedSource, at lastPort: UInt16?,
            link: String?, hasCode: Bool
        ) async throws -> PageService? {
            guard let place = options.web.flatMap(PagePlace.init) else { return nil }
            var configuration = WebConfiguration()
            configuration.address = place.address
            configuration.port =
                place.port.map { .number($0) }
                ?? lastPort.map { .preferred($0) } ?? .standard
            configuration.names = options.webName
            configuration.proxies = options.webProxy.compactMap(IPAddress.init)
            configuration.sharesMetrics = options.webMetrics
            configuration.offersPlainFloor = options.webFloor
            if hasCode {
                configuration.token = link.flatMap(LinkToken.init) ?? LinkToken()
            }
            if options.webTls.count == 2 {
                configuration.certificate = .init(chain: options.webTls[0], key: options.webTls[1])
            }
            let page: PageService
            do throws(WebError) {
                page = PageService(
                    server: try await WebServer(configuration, for: host), slide: options.qr)
            } catch {
                throw failure(error)
            }
            // What cannot be written is told before the event begins.
            if let file = options.qr, let link = page.links().first {
                try writeSlide(of: link, to: file)
            }
            return page
        }

        private static func failure(_ error: WebError) -> Failure {
            switch error {
            case .portTaken:
                Failure(.system, "\(error). Choose another with --web PORT, or 0 for a free one.")
            case .cannotListen:
                Failure(.system, "\(error). Choose another place with --web ADDRESS:PORT.")
            case .badCertificate:
                Failure(
                    .unreadableInput, "\(error). --web-tls takes the certificate, then its key.")
            }
        }

        /// How phones get there, the likeliest way first.
        func links() -> [PageLink] {
            let configuration = server.configuration
            let addresses = configuration.address.flatMap { $0.isAny ? nil : [$0] }
            let places = JoinAddresses.of(
                (addresses ?? [.anyIPv4, .anyIPv6]).map { Endpoint($0, port: server.port) },
                on: Interfaces.addresses())
            return places.map {
                PageLink(
                    isSecure: configuration.certificate != nil, endpoint: $0,
                    token: configuration.token?.text)
            }
        }

        /// Whether another port was wanted.
        var hasOtherPort: Bool {
            switch server.configuration.port {
            case .standard: server.port != WebConfiguration.standardNumber
            case .preferred(let port): server.port != port
            case .number: false
            }
        }

        /// Ends the page once phones have the rest.
        func stop() async { await server.stop() }
    }
#else
    import Beamscribe
    import BeamscribeCore
    import BeamscribeIO

    /// A program without a page: nothing is ever served.
    struct PageService {
        static func begin(
            _ options: HostWebOptions, for host: FeedSource, at lastPort: UInt16?,
            link: String?, hasCode: Bool
        ) async throws -> PageService? { nil }

        var slide: String? { nil }
        func links() -> [PageLink] { [] }
        var hasOtherPort: Bool { false }
        func stop() async {}
    }
#endif
