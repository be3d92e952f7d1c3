import BeamscribeCore
import BeamscribeIO
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Finds the page a port.
struct WebListener {
    private let routes: WebRoutes
    private let configuration: WebConfiguration
    private let certificate: PageCertificate?
    private let threads: MultiThreadedEventLoopGroup
    private let executor: WebExecutor
    private let hall: ConnectionHall

    init(
        _ routes: WebRoutes, _ configuration: WebConfiguration, _ certificate: PageCertificate?,
        _ threads: MultiThreadedEventLoopGroup, _ executor: WebExecutor, _ hall: ConnectionHall
    ) {
        self.hall = hall
        self.certificate = certificate
        self.routes = routes
        self.configuration = configuration
        self.threads = threads
        self.executor = executor
    }

    /// Listens, at the first port that can be had.
    func listen() async throws(WebError) -> ServingPort {
        let server = try makeServer()
        let ports = configuration.candidates
        for port in ports.dropLast() {
            do throws(WebError) {
                return try await listen(on: port, server)
            } catch {
                guard case .portTaken = error else { throw error }
            }
        }
        return try await listen(on: ports[ports.count - 1], server)
    }

    private func makeServer() throws(WebError) -> HTTPServerBuilder {
        let (hall, idle) = (hall, TimeAmount(configuration.idle))
        // The server's own idle timeout would cut off the rest of an answer that waits here.
        let plain = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(hall, idle: idle)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: Limits.webHeader, maxHeaderListSize: Limits.webHeader,
                maxHeaderFieldCount: 100))
        guard let certificate else { return .http1(configuration: plain) }
        let context = NIOLoopBoundBox.makeBoxSendingValue(
            try certificate.context(), eventLoop: executor.loop)
        return HTTPServerBuilder { responder in
            SecureChannels(
                plain: HTTP1Channel(responder: responder, configuration: plain), context: context)
        }
    }

    /// Listens at all addresses of both families, or of IPv4 where there is no IPv6.
    private func listen(
        on port: UInt16, _ server: HTTPServerBuilder
    ) async throws(WebError) -> ServingPort {
        if let address = configuration.address {
            return try await listen(at: "\(address)", port, server)
        }
        do throws(WebError) {
            return try await listen(at: "::", port, server)
        } catch {
            if case .portTaken = error { throw error }
            return try await listen(at: "0.0.0.0", port, server)
        }
    }

    private func listen(
        at address: String, _ port: UInt16, _ server: HTTPServerBuilder
    ) async throws(WebError) -> ServingPort {
        let (bound, listening) = AsyncStream.makeStream(of: (any Channel).self)
        let application = Application(
            router: routes.router(), server: server,
            configuration: .init(address: .hostname(address, port: Int(port)), backlog: 1_024),
            onServerRunning: { channel in
                listening.yield(channel)
                listening.finish()
            },
            eventLoopGroupProvider: .shared(threads),
            logger: Logger(label: "web") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task(executorPreference: executor) {
            defer { listening.finish() }
            try await application.run()
        }
        for await channel in bound { return ServingPort(channel: channel, serving: serving) }
        do {
            try await serving.value
            throw WebError.cannotListen("it ended at once")
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw .portTaken(port)
        } catch let error as IOError {
            throw .cannotListen(String(cString: strerror(error.errnoCode)))
        } catch {
            throw .cannotListen("\(error)")
        }
    }
}
