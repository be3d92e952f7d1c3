import TestSupport
import Testing

/// A guest that has ten lines of the host; at the end the event ends for both.
func withGuest(
    byAddress: Bool = false, overIPv4: Bool = false,
    _ body: (Lan, _ host: RunningProgram, _ guest: RunningProgram) async throws -> Void
) async throws {
    try await Lan.with(hosts: 2, avahi: true) { lan in
        if overIPv4 {
            for machine in lan.hosts {
                try await machine.run("ip", "-6", "addr", "flush", "dev", "eth0")
            }
        }
        let host = try await lan[0].announce("Stormy", "--until-eof")
        try await host.send(1...10)
        let words = byAddress ? ["--host", lan[0].address] : ["Stormy"]
        let guest = try lan[1].join(words)
        try await guest.expectLines(1...10)
        try await body(lan, host, guest)
        let before = guest.standardOutputLines
        try await host.write("the end\n")
        host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == before + ["the end"])
        try await host.expectExit(0)
    }
}
