import Beamscribe

/// Says each line of the standard input in an event in which everybody captions, and prints what others say.
@main struct Seat {
    static func main() async throws {
        let configuration = HostConfiguration(
            eventName: "Round Table", deviceName: "seat", security: HostSecurity(try HostKey()))
        let mesh = try Mesh(configuration, as: "Seat 1")
        try await mesh.start()
        let printing = Task {
            for await said in mesh.lines { print("[\(said.log.label)] \(said.line.text)") }
        }
        while let line = readLine() { await mesh.say(line) }
        await mesh.leave()
        await printing.value
    }
}
