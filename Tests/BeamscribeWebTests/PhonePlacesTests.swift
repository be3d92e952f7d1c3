import Beamscribe
import BeamscribeCore
import TestSupport
import Testing

@testable import BeamscribeWeb

/// Who gives way where as many phones read as can.
@Suite struct PhonePlacesTests {
    private func open(_ port: UInt16, from source: String) async throws -> RawConnection {
        let phone = try RawConnection(to: port, from: source)
        try await phone.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return phone
    }

    private func status(_ phone: RawConnection) async throws -> Int {
        try await phone.read("an answer") { bytes, _ in
            try HTTPAnswer.head(from: &bytes)?.status
        }
    }

    @Test func newestPhoneOfTheGreatestSource_givesWay() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve {
            $0.maximumPhones = 4
            $0.idle = .seconds(1)
        }
        var many: [RawConnection] = []
        for number in 1...4 {
            many.append(try await open(server.port, from: "127.0.0.9"))
            #expect(try await status(many[number - 1]) == 200)
            try await eventually("\(number) phones") { await server.phoneCount == number }
        }
        let other = try await open(server.port, from: "127.0.0.10")
        #expect(try await status(other) == 200)
        // Its stream is over, and so is the connection, once it has been idle.
        try await eventually("the newest to be closed") { many[3].hasEnded }
        #expect(await server.phoneCount == 4 && !many[0].hasEnded && !other.hasEnded)
        // It comes back, and pushes out nobody.
        #expect(try await status(open(server.port, from: "127.0.0.9")) == 503)
        let third = try await open(server.port, from: "127.0.0.11")
        #expect(try await status(third) == 200)
        #expect(try await status(open(server.port, from: "127.0.0.10")) == 503)
        #expect(await server.phoneCount == 4 && !third.hasEnded && !other.hasEnded)
        await stage.host.stop()
        await server.stop()
    }
}
