import Foundation
import TestSupport
import Testing

/// What the host says where its page cannot be as it was asked for.
@Suite struct WebUsageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func host(_ options: [String]) throws -> RunningProgram {
        try RunningProgram(
            .beamscribe(["host", "--event", "X"] + Room.quiet(port: 0) + options, state: folder))
    }

    @Test(
        arguments: [
            (["--qr", "a.png"], "--qr needs --web"),
            (["--web-relay", "all"], "--web-relay needs --web"),
            (["--web", "8080", "--web-relay", "here"], "not 'here'"),
            (["--web", "8080", "--web-relay", "192.0.2.7:8080"], "not '192.0.2.7:8080'"),
            (["--web-metrics"], "--web-metrics needs --web"),
            (["--web-name", "a.example"], "--web-name needs --web"),
            (["--web", "8080", "--web-name", "http://a.example"], "not 'http://a.example'"),
            (["--web", "8080", "--web-name", "a.example:80"], "not 'a.example:80'"),
            (["--web", "8080", "--web-name", ""], "not ''"),
            (["--web-proxy", "127.0.0.1"], "--web-proxy needs --web"),
            (["--web", "8080", "--web-proxy", "127.0.0.1:80"], "not '127.0.0.1:80'"),
            (["--web", "8080", "--web-proxy", "localhost"], "not 'localhost'"),
            (["--web", "8080", "--web-proxy", "0.0.0.0"], "not '0.0.0.0'"),
            (["--web", "8080", "--web-proxy", "10.0.0.0/8"], "not '10.0.0.0/8'"),
            (["--web", "8080", "--web-proxy", ""], "not ''"),
            (["--web-tls", "a", "b"], "--web-tls needs --web"), (["--web", "x"], "not 'x'"),
            (["--web", "65536"], "not '65536'"), (["--web", "127.0.0.1:x"], "not '127.0.0.1:x'"),
            (["--web", "127.0.0.1:65536"], "not '127.0.0.1:65536'"),
            (["--web", ":8080"], "not ':8080'"),
            (["--web", "[::1]:"], "not '[::1]:'"),
            (["--web", "localhost:8080"], "not 'localhost:8080'"),
            (["--web", "8080", "--web-tls", "a"], "two files"),
            (["--web", "8080", "--web-tls", "a", "b", "c"], "two files"),
            (["--web", "8080", "--qr", "a.txt"], ".png or .svg"),
            (["--web", "8080", "--qr", "png"], ".png or"),
        ] as [([String], String)])
    func host_explainsItself_whenCalledWrongly(options: [String], part: String) async throws {
        let host = try host(options)
        try await host.expectExit(64)
        #expect(
            host.standardErrorText.hasPrefix("Error: ") && host.standardErrorText.contains(part))
        #expect(host.standardOutputText == "" && SessionFolder(folder).ids == [])
    }

    // MARK: Ports

    @Test func host_refuses_whenThePortThatWasAskedForIsTaken_andLeavesNothing() async throws {
        let taken = try TCPSocket.listening()
        let host = try host(["--web", "127.0.0.1:\(taken.port)"])
        try await host.expectExit(71)
        #expect(host.standardErrorLines.count == 1)
        #expect(host.standardErrorText.contains("port \(taken.port)"))
        #expect(host.standardErrorText.contains("--web PORT"))
        #expect(SessionFolder(folder).ids == [])
    }

    @Test func host_refuses_whenTheAddressIsNotThisMachines() async throws {
        let host = try host(["--web", "192.0.2.77:0"])
        try await host.expectExit(71)
        #expect(host.standardErrorLines.count == 1 && SessionFolder(folder).ids == [])
        #expect(host.standardErrorText.contains("--web ADDRESS:PORT"))
    }

    @Test func host_takesAFreePort_whenTheUsualOneIsTaken_andSaysSo() async throws {
        // Where this fails somebody else has it, which is as good.
        let taken = try? TCPSocket.listening(at: 8_080)
        let host = try host(["--web", "127.0.0.1"])
        let page = try await WebRoom(
            Room(folder: folder, host: host, address: "127.0.0.1", port: 0))
        #expect(page.client.port != 8_080)
        #expect(try await page.client.ask("/healthz").status == 200)
        let said = host.standardErrorLines.filter { $0.contains("usual port") }
        #expect(said.count == 1 && said[0].contains("\(page.client.port)"))
        withExtendedLifetime(taken) {}
    }

    @Test func host_takesThePort_thatWasAskedFor() async throws {
        let address = Room.ownAddress()
        let host = try host(["--web", "\(address):8080"])
        let line = try await host.waitForLine(containing: "Phones:", on: .standardError)
        #expect(line.contains("http://\(address):8080/ "))
        var client = WebClient(8_080)
        client.address = address
        #expect(try await client.ask("/healthz").status == 200)
    }

    /// The page is up before the host finds that it cannot be.
    @Test func host_leavesNoPage_whenItsOwnPortIsTaken() async throws {
        let taken = try TCPSocket.listening()
        let words = ["host", "--event", "X", "--web", "127.0.0.1:0"]
        let host = try RunningProgram(
            .beamscribe(words + Room.quiet(port: taken.port), state: folder))
        try await host.expectExit(71)
        #expect(host.standardErrorLines.count == 1)
        #expect(host.standardErrorText.contains("--port"))
    }

    // MARK: Certificates

    @Test func host_refuses_whenACertificateIsNoGood_andLeavesNothing() async throws {
        let good = try await Certificate.make(.init(testDescription: "good"))
        let other = try await Certificate.make(.init(testDescription: "other"))
        let certificate = good.folder.path(of: "certificate.pem")
        let key = good.folder.path(of: "key.pem")
        let empty = try folder.write("", to: "empty")
        let nonsense = try folder.write("-----BEGIN CERTIFICATE-----\n!\n", to: "nonsense")
        for (files, bad) in [
            ([folder.path(of: "nowhere"), key], folder.path(of: "nowhere")),
            ([certificate, folder.path(of: "nowhere")], folder.path(of: "nowhere")),
            ([empty, key], empty), ([nonsense, key], nonsense), ([certificate, empty], empty),
            ([key, certificate], key), ([folder.path, key], folder.path),
            ([certificate, other.folder.path(of: "key.pem")], certificate),
        ] {
            let host = try host(["--web", "127.0.0.1:0", "--web-tls"] + files)
            try await host.expectExit(65)
            #expect(host.standardErrorLines.count == 1, "\(files)")
            #expect(host.standardErrorText.contains(bad), "\(files)")
        }
        #expect(SessionFolder(folder).ids == [])
    }
}
