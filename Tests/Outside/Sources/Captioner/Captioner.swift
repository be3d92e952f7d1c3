import Beamscribe

/// Captions what is typed: each line of the standard input goes to everybody who joins the event.
@main struct Captioner {
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? "Town Hall"
        var configuration = HostConfiguration(
            eventName: name, deviceName: "stage", security: HostSecurity(try HostKey()))
        configuration.input = .typed
        let host = try Host(configuration)
        try await host.start()

        let telling = Task {
            for await batch in host.news {
                for news in batch { tell(news) }
            }
        }
        while let line = readLine() { await host.type(line) }
        await host.endEvent()
        await telling.value
    }

    static func tell(_ news: HostNews) {
        switch news {
        case .listening(let endpoints): print("Guests can join at \(endpoints[0]).")
        case .guests(_, let counts): print("Guests: \(counts.stable).")
        case .finished(let lines, _): print("Over, after \(lines) lines.")
        default: break
        }
    }
}
