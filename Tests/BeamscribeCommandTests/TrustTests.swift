import Foundation
import TestSupport
import Testing

/// Guests know a host by its key: trust on first use.
@Suite struct TrustTests {
    private let firstTime = "First time with this host"

    /// Starts the host of `room` again at its port, with a new key where it is to have one.
    private func reopen(_ room: Room, withNewKey: Bool) async throws -> Room {
        room.host.kill()
        try await room.host.waitForExit()
        if withNewKey {
            try FileManager.default.removeItem(
                atPath: room.folder.path(of: "beamscribe/host-key.pem"))
        }
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: room.port)
        return try await Room(.beamscribe(words, state: room.folder), room.folder)
    }

    private func leave(_ guest: RunningProgram) async throws {
        guest.interrupt()
        try await guest.expectExit(0)
    }

    @Test func guest_remembersTheHost_theFirstTimeOnly() async throws {
        let room = try await Room.open()
        let shown = try await room.fingerprint()
        let before = Date.now.timeIntervalSince1970
        let first = try await room.joined()
        let groups = stride(from: 0, to: 16, by: 4).map { shown.dropFirst($0).prefix(4) }
        try await first.waitForLine(
            containing:
                "\(firstTime). Compare: its screen must show \(groups.joined(separator: " "))",
            on: .standardError)
        var known = try KnownHostsRecord(in: room.folder)
        let entry = try #require(known.addresses[room.address])
        #expect(known.version == 2 && known.hosts.count == 1 && known.addresses.count == 1)
        #expect(known.events["Town Hall"]?.hosts.map(\.fingerprint) == [entry.fingerprint])
        #expect(entry.fingerprint.count == 64 && entry.fingerprint.hasPrefix(shown))
        #expect((before - 1...before + 60).contains(entry.firstSeen))
        let path = KnownHostsRecord.path(in: room.folder)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try await leave(first)

        let second = try await room.joined("--verbose")
        try await second.waitForLine(
            containing: "The host's key: \(groups.joined(separator: " "))", on: .standardError)
        #expect(!second.standardErrorText.contains(firstTime))
        known = try KnownHostsRecord(in: room.folder)
        #expect(known.addresses[room.address]?.firstSeen == entry.firstSeen)
        #expect(known.addresses[room.address]?.fingerprint == entry.fingerprint)
        #expect(known.addresses[room.address]?.lastSeen ?? 0 > entry.lastSeen)
    }

    @Test(Skip.withoutRoot) func guest_saysThatTheKeyIsNotRemembered_whereTheDiskIsFull()
        async throws
    {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(
            ["join", "--host", room.address, "--no-ble"], state: folder)
        let script = """
            mount -t tmpfs -o size=16k tmpfs "$1" && mkdir "$1/beamscribe" && \
            { head -c 1M /dev/zero > "$1/filler" || true; } 2> /dev/null && shift && exec "$@"
            """
        launch.prefix = ["unshare", "--mount", "sh", "-c", script, "sh", folder.path]
        let guest = try RunningProgram(launch)
        let line = try await guest.waitForLine(containing: firstTime, on: .standardError)
        #expect(line.contains("Its key could not be remembered, so next time another machine"))
        #expect(!line.contains("is remembered"))
        try await room.tell("one")
        try await guest.waitForLines(1)
        try await leave(guest)
    }

    @Test func guest_knowsTheHostAgain_whenThatWasStartedAnew() async throws {
        let room = try await Room.open()
        let shown = try await room.fingerprint()
        try await leave(try await room.joined())
        let again = try await reopen(room, withNewKey: false)
        #expect(try await again.fingerprint() == shown)
        let guest = try await again.joined()
        #expect(!guest.standardErrorText.contains(firstTime))
    }

    @Test func guest_endsWithCode77_whenTheHostHasANewKey_untilItForgets() async throws {
        let room = try await Room.open()
        try await leave(try await room.joined())
        let old = try KnownHostsRecord(in: room.folder).addresses[room.address]?.fingerprint
        let again = try await reopen(room, withNewKey: true)
        try await again.tell("secret")
        let guest = try again.join()
        try await guest.expectExit(77)
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.contains("--forget") && last.contains("has another key"), "\(last)")
        #expect(guest.standardOutputText == "")
        #expect(
            try KnownHostsRecord(in: room.folder).addresses[room.address]?.fingerprint == old)

        let trusting = try await again.joined("--forget")
        #expect(try await trusting.waitForLines(1) == ["secret"])
        let new = try KnownHostsRecord(in: room.folder).addresses[room.address]?.fingerprint
        #expect(new != old && new?.count == 64)
        try await leave(trusting)
        let later = try await again.joined()
        #expect(!later.standardErrorText.contains(firstTime))
    }

    // MARK: Events

    /// A host of the same event on another device, with another key.
    private func impostor(of room: Room, _ options: String...) async throws -> Room {
        let folder = try TemporaryFolder()
        let words =
            ["host", "--event", "town hall", "--name", "stage-2"] + Room.quiet(port: 0) + options
        let other = try await Room(.beamscribe(words, state: folder), folder)
        // Joined with what a guest of the first remembers.
        return Room(
            folder: room.folder, host: other.host, address: other.address, port: other.port)
    }

    @Test func guest_endsWithCode77_whenAKnownEventHasAnotherHost_untilThatIsAccepted() async throws
    {
        let room = try await Room.open("--name", "stage")
        try await leave(try await room.joined())
        let other = try await impostor(of: room)
        try await other.tell("a lie")
        let guest = try other.join()
        try await guest.expectExit(77)
        let last = guest.standardErrorLines.last ?? ""
        for part in ["always hosted by stage,", "stage-2", "--fingerprint", "--accept-new-host"] {
            #expect(last.contains(part), "\(last)")
        }
        #expect(guest.standardOutputText == "")

        let trusting = try await other.joined("--accept-new-host")
        #expect(try await trusting.waitForLines(1) == ["a lie"])
        #expect(!trusting.standardErrorText.contains(firstTime))
        try await leave(trusting)
        try await leave(try await other.joined())
        try await leave(try await room.joined())
    }

    @Test func guest_takesAnotherHostOfTheEvent_withTheFingerprintThatItExpects() async throws {
        let room = try await Room.open("--name", "stage")
        try await leave(try await room.joined())
        let other = try await impostor(of: room)
        try await leave(
            try await other.joined("--fingerprint", try await other.fingerprint()))
    }

    @Test(arguments: [("y", true), ("yes", true), ("n", false), ("", false)])
    func reader_isAsked_whetherAnotherHostIsRight(answer: String, joins: Bool) async throws {
        let room = try await Room.open("--name", "stage")
        try await leave(try await room.joined())
        let other = try await impostor(of: room)
        try await other.tell("hello")
        let terminal = try PseudoTerminal(other.launchOfGuest(["--plain"]))
        let question = try await terminal.waitForText("the question") {
            $0.contains("Join? [y/N]")
        }
        for part in [
            "always hosted by stage", "stage-2", try await shown(other), try await shown(room),
        ] {
            #expect(question.replacing("\r\n", with: " ").contains(part), "\(part): \(question)")
        }
        try await terminal.type(answer + "\r")
        if joins {
            try await terminal.waitForText("the line") {
                $0.contains("hello")
            }
            terminal.signal(2)
        } else {
            #expect(try await terminal.waitForExit() == .exited(77))
            #expect(!terminal.text.contains("hello"))
        }
    }

    private func shown(_ room: Room) async throws -> String {
        let digits = try await room.fingerprint()
        return stride(from: 0, to: 16, by: 4).map { String(digits.dropFirst($0).prefix(4)) }
            .joined(separator: " ")
    }

    /// The host's key is right, and its operator has left out the code.
    @Test func guest_endsWithCode77_whenTheEventAsksForNoCodeAnyMore() async throws {
        let room = try await Room.open("--name", "stage", code: "4821-7730")
        let guest = try room.join(code: "4821-7730", state: room.folder)
        try await guest.waitUntilJoined()
        try await leave(guest)
        room.host.kill()
        try await room.host.waitForExit()
        let words = ["host", "--event", "Town Hall", "--name", "stage"] + Room.quiet(port: 0)
        let open = try await Room(.beamscribe(words, state: room.folder), room.folder)
        let wary = try open.join()
        try await wary.expectExit(77)
        let last = wary.standardErrorLines.last ?? ""
        #expect(last.contains("always asked for a code") && last.contains("--accept-new-host"))
        try await leave(try await open.joined("--accept-new-host"))
    }

    // MARK: A guest's id

    @Test func deviceID_isAnotherAtEachHost_andNeverTheDevicesOwn() async throws {
        let state = try TemporaryFolder()
        let hosts = [try FakeHost(), try FakeHost()]
        var ids: [String] = []
        for host in [hosts[0], hosts[1], hosts[0]] {
            let guest = try RunningProgram(
                .beamscribe(["join", "--host", host.address, "--accept-new-host"], state: state))
            let (_, handshake) = try await host.acceptGuest()
            ids.append(try #require(handshake.deviceId))
            guest.kill()
            try await guest.waitForExit()
        }
        #expect(ids[0] == ids[2] && ids[0] != ids[1])
        let kept = try state.read("beamscribe/device-id")
        #expect(ids.allSatisfy { !kept.contains($0) && UUID(uuidString: $0) != nil })
    }

    /// A host says its own id with each sign of life.
    @Test func hostsID_isNotTheDevicesOwn() async throws {
        let room = try await Room.open()
        let guest = try WireConnection(to: room.port)
        try await guest.send(Wire.handshake())
        let id = try await guest.receive("keep_alive").deviceId ?? ""
        #expect(UUID(uuidString: id) != nil)
        #expect(try !room.folder.read("beamscribe/device-id").contains(id))
    }

    /// What a guest of an earlier version has remembered is kept, and judged by.
    @Test func oldFile_isReadOnce_andWrittenInTheNewForm() async throws {
        let room = try await Room.open()
        let digits = String(repeating: "ab", count: 32)
        let old =
            #"{"version":1,"hosts":{"lectern":{"fingerprint":"\#(digits)","firstSeen":1,"#
            + #""lastSeen":2}},"addresses":{}}"#
        try room.folder.write(old, to: "beamscribe/known-hosts.json")
        try await leave(try await room.joined())
        let known = try KnownHostsRecord(in: room.folder)
        #expect(known.version == 2 && known.hosts["lectern"]?.fingerprint == digits)
        #expect(known.addresses[room.address] != nil && known.events.count == 1)
    }

    // MARK: Expected keys

    @Test func guest_takesTheHostWithTheFingerprintThatItExpects() async throws {
        let room = try await Room.open()
        let digits = try await room.fingerprint()
        let pem = try room.folder.read("beamscribe/host-key.pem")
        let all = try await OpenSSL.fingerprint(ofKey: pem)
        let groups = stride(from: 0, to: 16, by: 4).map { digits.dropFirst($0).prefix(4) }
        let pairs = stride(from: 0, to: 64, by: 2).map { all.dropFirst($0).prefix(2) }
        for typed in [
            digits, all, groups.joined(separator: " "), pairs.joined(separator: ":").uppercased(),
            String(all.prefix(40)),
        ] {
            let guest = try await room.joined("--fingerprint", typed)
            try await leave(guest)
        }
        for wrong in [String(digits.dropLast()) + "x", String(digits.dropLast()), all + "0", ""] {
            try await room.join("--fingerprint", wrong).expectExit(64)
        }
    }

    @Test func guest_endsWithCode77_whenItExpectsAnotherFingerprint() async throws {
        let room = try await Room.open()
        try await room.tell("secret")
        let digits = try await room.fingerprint()
        let first = digits.hasPrefix("0") ? "1" : "0"
        for typed in [
            first + digits.dropFirst(), digits.dropLast() + (digits.hasSuffix("0") ? "1" : "0"),
            String(repeating: first, count: 64),
        ] {
            let guest = try room.join("--fingerprint", String(typed))
            try await guest.expectExit(77)
            #expect(guest.standardErrorLines.last?.contains("--fingerprint") == true)
            #expect(guest.standardOutputText == "")
        }
        #expect(throws: (any Error).self) { try KnownHostsRecord(in: room.folder) }
    }

    // MARK: The file

    /// A host that is not the remembered one would else pass for new.
    @Test(arguments: ["", "{", #"{"version":3,"hosts":{},"addresses":{}}"#])
    func guest_endsWithCode65_whenItCannotReadWhatItRemembers(text: String) async throws {
        let room = try await Room.open()
        try await leave(try await room.joined())
        try room.folder.write(text, to: "beamscribe/known-hosts.json")
        let guest = try room.join()
        try await guest.expectExit(65)
        #expect(guest.standardErrorLines.last?.contains("known-hosts.json") == true)
        #expect(try room.folder.read("beamscribe/known-hosts.json") == text, "It is left alone.")
    }

    @Test func guests_areAllRemembered_whenTheyJoinAtOnce() async throws {
        var rooms: [Room] = []
        for number in 1...3 {
            rooms.append(try await Room.open("--name", "stage \(number)", event: "Event \(number)"))
        }
        let state = try TemporaryFolder()
        var guests: [RunningProgram] = []
        for room in rooms + rooms {
            guests.append(
                try RunningProgram(.beamscribe(["join", "--host", room.address], state: state)))
        }
        for guest in guests { try await guest.waitUntilJoined() }
        let known = try KnownHostsRecord(in: state)
        #expect(Set(known.addresses.keys) == Set(rooms.map(\.address)))
    }
}
