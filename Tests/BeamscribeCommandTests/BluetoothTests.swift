import Foundation
import TestSupport
import Testing

/// The real programs with a stand-in for bluetoothd, on a machine without Avahi.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BluetoothTests {
    /// Where the programs of a test keep what they keep.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func guest_joins_byTheBeaconAlone() async throws {
        let bluetooth = try await FakeBluetooth()
        let host = try await host("Town Hall Meeting", with: bluetooth)
        try await host.write("one\ntwo\n")
        let guest = try join("Town Hall Meeting", with: bluetooth)
        try await guest.waitForOutput("two lines") { $0.standardOutput.lines.count == 2 }
        try await host.write("three\n")
        try await guest.waitForLine(containing: "three")
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two", "three"])
        #expect(try await bluetooth.advertisements().isEmpty)
        #expect(try await bluetooth.searches().isEmpty)
    }

    /// A beacon does not tell whose it is; the handshake does, before anything is shown.
    @Test func guest_refusesAnotherKey_ofAHostThatWasOnlyHeard() async throws {
        let bluetooth = try await FakeBluetooth()
        for (line, code) in [("mine", Int32(0)), ("not mine", 77)] {
            let host = try await host("Kino", with: bluetooth)
            try await host.write(line + "\n")
            let guest = try join("Kino", with: bluetooth)
            if code == 0 { try await guest.waitForLine(containing: line) }
            if code == 77 { try await guest.expectExit(code) }
            host.closeInput()
            try await host.expectExit(0)
            if code == 0 { try await guest.expectExit(0) }
            #expect(guest.standardOutputLines == (code == 0 ? [line] : []))
            #expect(guest.standardErrorText.contains("--forget") == (code == 77))
            try FileManager.default.removeItem(
                atPath: folder.path(of: "beamscribe/host-key.pem"))
        }
    }

    /// Its beacon begins as the wanted event's would; the handshake tells that it is another.
    @Test func guest_goesOnLooking_whenTheBeaconWasAnotherEvents() async throws {
        let bluetooth = try await FakeBluetooth()
        let other = try await host("Town Hall Party", with: bluetooth)
        try await other.write("not yours\n")
        let guest = try join("Town Hall Meeting", with: bluetooth)
        try await other.waitForLine(containing: "came and went", on: .standardError)
        let wanted = try await host("Town Hall Meeting", with: bluetooth)
        try await wanted.write("yours\n")
        try await guest.waitForLine(containing: "yours")
        wanted.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["yours"])
        other.closeInput()
        for host in [other, wanted] { try await host.expectExit(0) }
    }

    @Test func browse_listsWhatItHears_once() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 3)
        let host = try await host("Kino", with: bluetooth)
        try await eventually("three beacons") {
            try await bluetooth.advertisements().count == 3
        }
        let browse = try RunningProgram(
            bluetooth.inside(.beamscribe(["browse", "--json"], state: folder)))
        try await browse.expectExit(0)
        #expect(browse.standardOutputLines.count == 1)
        #expect(browse.standardOutputText.contains(#""found":["bluetooth"]"#))
        #expect(browse.standardOutputText.contains(#""event":"Kino""#))
        host.closeInput()
        try await host.expectExit(0)
    }

    @Test func guest_findsItsSessionAgain_whenTheHostIsResumedElsewhere() async throws {
        let bluetooth = try await FakeBluetooth()
        let first = try await host("Phoenix", with: bluetooth)
        try await first.write("one\n")
        let guest = try join("Phoenix", with: bluetooth)
        try await guest.waitForLine(containing: "one")
        first.kill()
        try await first.waitForExit()
        let second = try await start(
            ["host", "--resume", "last", "--port", "0", "--until-eof", "--no-bonjour"],
            with: bluetooth)
        try await second.write("two\n")
        try await guest.waitForLine(containing: "two")
        second.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two"])
    }

    /// One line for each state of Bluetooth; the main job goes on.
    @Test func host_saysWhatIsWrong_andComesBackByItself() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let host = try await host("Kino", with: bluetooth)
        try await host.waitForLine(
            containing: "Guests find this host by Bluetooth (hci0)", on: .standardError)
        try await expect(host, "hci0 is switched off") {
            try await bluetooth.power("hci0", on: false)
        }
        try await expect(host, "(hci0)") { try await bluetooth.power("hci0", on: true) }
        try await expect(host, "no Bluetooth adapter") {
            try await bluetooth.removeAdapter("hci0")
        }
        try await expect(host, "(hci0)") { try await bluetooth.addAdapter("hci0") }
        try await expect(host, "bluetoothd) is not running") {
            try await bluetooth.stopDaemon()
        }
        try await expect(host, "(hci0)") { try await bluetooth.startDaemon() }
        try await expect(host, "D-Bus") { try await bluetooth.stopBus() }
        try await expect(host, "(hci0)") {
            try await bluetooth.startBus()
            try await bluetooth.startDaemon()
        }
        let warnings = host.allWarnings
        #expect(Set(warnings).count == 4, "\(warnings)")
        for warning in warnings { #expect(warning.contains("All else works")) }
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", try await address(of: host)], state: folder))
        try await host.write("one\n")
        try await guest.waitForLine(containing: "one")
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
    }

    @Test(arguments: [true, false])
    func host_saysWhoIsInTheWay(isDenied: Bool) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        if isDenied {
            try await bluetooth.refuseEveryone()
        } else {
            try await bluetooth.occupy("hci0", slots: 3)
        }
        let host = try await host("Kino", with: bluetooth)
        try await host.waitForLine(
            containing: isDenied ? "this user may not use" : "other programs use all",
            on: .standardError)
        try await expect(host, "Guests find this host by Bluetooth (hci0)") {
            try await bluetooth.occupy("hci0", slots: 0)
            try await bluetooth.refuseEveryone(false)
        }
        host.closeInput()
        try await host.expectExit(0)
    }

    @Test func guest_saysWhatIsWrong_onlyIfItHasToWait() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let launch = bluetooth.inside(
            .beamscribe(["join", "Kino", "--timeout", "4"], state: folder))
        let guest = try RunningProgram(launch)
        try await guest.waitForLine(containing: "no Bluetooth adapter", on: .standardError)
        try await guest.expectExit(69)
        let told = guest.standardErrorLines.filter { $0.contains("Bluetooth") }
        #expect(told.count == 1, "\(told)")
    }

    @Test func host_saysThatChannelsAreImpossible_andGoesOn() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        // There is no Bluetooth in a network namespace but the first, whatever the kernel has.
        var launch = bluetooth.inside(
            .beamscribe(
                ["host", "--event", "Kino", "--ble-captions", "--no-bonjour", "--until-eof"],
                state: folder))
        launch.prefix = ["unshare", "--net", "--map-root-user"]
        launch.input = .pipe
        let host = try RunningProgram(launch)
        try await host.waitForLine(
            containing: "Captions over Bluetooth are not possible", on: .standardError)
        try await host.waitForLine(
            containing: "Guests find this host by Bluetooth (hci0).", on: .standardError)
        host.closeInput()
        try await host.expectExit(0)
    }

    // MARK: Starting them

    private func host(
        _ event: String, with bluetooth: FakeBluetooth
    ) async throws -> RunningProgram {
        try await start(
            ["host", "--event", event, "--port", "0", "--until-eof", "--no-bonjour"],
            with: bluetooth)
    }

    private func start(
        _ words: [String], with bluetooth: FakeBluetooth
    ) async throws -> RunningProgram {
        var launch = bluetooth.inside(.beamscribe(words, state: folder))
        launch.input = .pipe
        let host = try RunningProgram(launch)
        try await host.waitForLine(containing: " join --host ", on: .standardError)
        return host
    }

    private func join(_ event: String, with bluetooth: FakeBluetooth) throws -> RunningProgram {
        try RunningProgram(
            bluetooth.inside(
                .beamscribe(["join", event, "--timeout", "60"], state: folder)))
    }

    private func address(of host: RunningProgram) async throws -> String {
        let line = try await host.waitForLine(containing: " join --host ", on: .standardError)
        return line.split(separator: " ").last.map(String.init) ?? ""
    }

    /// Waits for one line more that says this, after something was done.
    private func expect(
        _ host: RunningProgram, _ words: String, within limit: Duration = Deadline.generous,
        after action: () async throws -> Void
    ) async throws {
        let before = host.standardErrorLines.count { $0.contains(words) }
        try await action()
        try await eventually(words, within: limit, seen: { host.standardErrorText }) {
            host.standardErrorLines.count { $0.contains(words) } > before
        }
    }
}
