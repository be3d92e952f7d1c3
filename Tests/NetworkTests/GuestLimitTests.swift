import Foundation
import TestSupport
import Testing

/// Guests that a host does not take, or does not keep.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct GuestLimitTests {
    @Test func guest_isRefused_whenTheHostIsFull() async throws {
        try await Lan.with(hosts: 2) { lan in
            let host = try await lan[0].host("Small Room", "--no-bonjour", "--max-guests", "2")
            try await host.send(1...3)
            let guests = try (0..<2).map { _ in try lan[1].join("--host", lan[0].address) }
            for guest in guests { try await guest.expectLines(1...3) }
            let third = try lan[1].join("--host", lan[0].address)
            try await third.expectExit(77)
            third.expectComplaint("refused", "no more guests")
            #expect(third.standardOutputText == "")
            guests[0].interrupt()
            try await guests[0].expectExit(0)
            try await eventually("a place for another guest") {
                let fourth = try lan[1].join("--host", lan[0].address)
                try? await fourth.expectLines(1...3)
                return fourth.isRunning && fourth.standardOutputLines == lines(1...3)
            }
            try await host.send(4...4)
            try await guests[1].expectLines(1...4)
        }
    }

    @Test func olderGuest_isReplaced_whenItsDeviceComesAgain() async throws {
        try await Lan.with(hosts: 3) { lan in
            let host = try await lan[0].host("Twins", "--no-bonjour")
            try await host.send(1...3)
            let older = try lan[1].join("--host", lan[0].address)
            try await older.expectLines(1...3)
            try copyState(from: lan[1], to: lan[2])
            let newer = try lan[2].join("--host", lan[0].address)
            try await newer.expectLines(1...3)
            try await older.expectExit(77)
            older.expectComplaint("refused", "another guest")
            try await host.send(4...6)
            try await newer.expectLines(1...6)
            #expect(older.standardOutputLines == lines(1...3))
            #expect(newer.isRunning)
        }
    }

    /// Two guests of one user on one machine are two guests.
    @Test func guests_areBothKept_whenTheyRunOnOneMachine() async throws {
        try await Lan.with(hosts: 2) { lan in
            let host = try await lan[0].host("Siblings", "--no-bonjour")
            try await host.send(1...3)
            let guests = try (0..<3).map { _ in try lan[1].join("--host", lan[0].address) }
            for guest in guests { try await guest.expectLines(1...3) }
            try await host.send(4...6)
            for guest in guests { try await guest.expectLines(1...6) }
        }
    }

    private func copyState(from source: LanHost, to target: LanHost) throws {
        let name = "state/beamscribe"
        try FileManager.default.copyItem(
            atPath: source.folder.path(of: name), toPath: target.folder.path(of: name))
    }
}
