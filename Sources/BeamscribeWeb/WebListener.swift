import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Finds the page a port.
struct WebListener {
    let routes: WebRoutes
    let configuration: WebConfiguration
    let certificate: PageCertificate?
    let threads: MultiThreadedEventLoopGroup
    let executor: WebExecutor
    let hall: ConnectionHall

    /// Listens, at the first port that can be had.
    func listen() async throws(WebError) -> ServingPort {
        let channels = try makeChannels()
        let ports = configuration.port.candidates(WebConfiguration.standardNumber)
        for port in ports.dropLast() {
            do throws(WebError) {
                return try await listen(on: port, channels)
            } catch {
                guard case .portTaken = error else { throw error }
            }
        }
        return try await listen(on: ports[ports.count - 1], channels)
    }

    /// Answers HTTP/1.1, the connections' limits kept.
    private var http: HTTP1Channel {
        let (hall, idle, routes) = (hall, TimeAmount(configuration.idle), routes)
        let proxies = routes.proxies
        // The server's own idle timeout would cut off the rest of an answer that waits here.
        return HTTP1Channel(
            responder: { request, writer, channel in
                let answer = try await routes.answer(request, by: channel)
                try await writer.write(response: answer.head, body: answer.body)
            },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(hall, behind: proxies, idle: idle)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Limits.webHeader, maxHeaderListSize: Limits.webHeader,
                    maxHeaderFieldCount: 100)))
    }

    private func makeChannels() throws(WebError) -> BrowserChannels<HTTP1Channel> {
        guard let certificate else { return BrowserChannels(http: http, context: nil) }
        let context = NIOLoopBoundBox.makeBoxSendingValue(
            try certificate.context(), eventLoop: executor.loop)
        return BrowserChannels(http: http, context: context)
    }

    /// Listens at all addresses of both families, or of IPv4 where there is no IPv6.
    private func listen(
        on port: UInt16, _ channels: some HTTPChannelHandler
    ) async throws(WebError) -> ServingPort {
        if let address = configuration.address {
            return try await listen(at: "\(address)", port, channels)
        }
        do throws(WebError) {
            return try await listen(at: "::", port, channels)
        } catch {
            if case .portTaken = error { throw error }
            return try await listen(at: "0.0.0.0", port, channels)
        }
    }

    private func listen(
        at address: String, _ port: UInt16, _ channels: some HTTPChannelHandler
    ) async throws(WebError) -> ServingPort {
        let (bound, listening) = AsyncStream.makeStream(of: (any Channel).self)
        let server = Server(
            childChannelSetup: channels,
            configuration: .init(address: .hostname(address, port: Int(port)), backlog: 1_024),
            onServerRunning: { channel in
                listening.yield(channel)
                listening.finish()
            },
            eventLoopGroup: threads, logger: Logger(label: "web") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task(executorPreference: executor) {
            defer { listening.finish() }
            try await server.run()
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
