import TestSupport
import Testing

/// Names on their way from a host through Avahi to guests.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct EventNameTests {
    @Test func host_isRenamed_whenItsNameIsInUse() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let first = try await lan[0].announce("Assembly")
            let stopwatch = Stopwatch()
            let second = try await lan[1].host("Assembly")
            let announcement = try await second.waitForAnnouncement()
            stopwatch.report("a second host of the same name, start to announcement")
            #expect(announcement.contains("Assembly #2"))
            let found = try await lan[2].listed().sorted { $0.name < $1.name }
            #expect(found.map(\.name) == ["Assembly", "Assembly #2"])
            #expect(found.map(\.event) == ["Assembly", "Assembly"])
            #expect(found.map(\.deviceName) == ["host1", "host2"])
            #expect(found.allSatisfy { $0.joinable == true })
            try await first.write("from the first\n")
            try await second.write("from the second\n")
            // Where somebody looks already, Avahi says that this is all before it knows where any is.
            let watcher = try lan[2].browse("--watch", "--timeout", "60")
            _ = try await lan[2].listed()
            // The name alone is both: who cannot be asked is told how to say which.
            let asked = try lan[2].join("Assembly")
            try await asked.expectExit(64)
            for part in ["on host1", "on host2", "They have the same name: give --host"] {
                #expect(asked.standardErrorText.contains(part))
            }
            // An address that comes later is told of a host as a change.
            try await watcher.waitForOutput("both") { output in
                ["on host1", "on host2"].allSatisfy { output.standardOutput.text.contains($0) }
            }
            #expect(!watcher.standardOutputText.contains("join Assembly"))
            #expect(!watcher.standardErrorText.contains("Bluetooth"))
            let lost = try lan[2].join("Garden", "--timeout", "1")
            try await lost.expectExit(69)
            lost.expectComplaint("Found: 'Assembly': join one of these")
            let guest = try lan[2].join("Assembly #2")
            try await guest.waitForLine { _ in true }
            #expect(guest.standardOutputLines == ["from the second"])
        }
    }

    @Test func host_isRenamed_whenTwoNetworksWithItsNameBecomeOne() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            try await lan.partition([lan[0]], [lan[1], lan[2]])
            let hosts = [
                try await lan[0].announce("Merged"), try await lan[1].announce("Merged"),
            ]
            try await lan.unite()
            let stopwatch = Stopwatch()
            try await eventually("one of them to have another name") {
                try await lan[2].listed().map(\.name).sorted() == ["Merged", "Merged #2"]
            }
            stopwatch.report("two networks becoming one to the second name")
            let said = hosts.map(\.standardErrorText).filter { $0.contains("\"Merged #2\"") }
            #expect(said.count == 1)
        }
    }

    @Test func host_isRenamed_whenItsNameIsInUseOnItsOwnMachine() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            let hosts = [
                try await lan[0].announce("Rooms"), try await lan[0].announce("Rooms"),
            ]
            #expect(hosts[1].standardErrorText.contains("\"Rooms #2\""))
            let found = try await lan[0].listed()
            #expect(found.map(\.name).sorted() == ["Rooms", "Rooms #2"])
            #expect(found.map(\.event) == ["Rooms", "Rooms"])
            #expect(Set(found.map(\.port)).count == 2)
            try await hosts[1].send(1...2)
            try await lan[0].join("Rooms #2").expectLines(1...2)
        }
    }

    @Test func names_arriveWhole() async throws {
        let names = [
            "v1.2 – Q.&A. at 9.30", #"the "quoted" \ one's"#, "Grüße 👩‍👩‍👧‍👦 🎤", "総会 第二十三回",
            "始" + String(repeating: " 長い名前", count: 18),
        ]
        try await Lan.with(hosts: 2, avahi: true) { lan in
            var hosts: [RunningProgram] = []
            for name in names { hosts.append(try await lan[0].host(name, "--port", "0")) }
            for host in hosts { try await host.waitForAnnouncement() }
            let found = try await lan[1].listed()
            #expect(Set(found.compactMap(\.event)) == Set(names))
            for host in found { #expect(host.name.utf8.count <= 63, "\(host.name)") }
            for (host, name) in zip(hosts, names) {
                try await host.write("of \(name)\n")
                let guest = try lan[1].join(name)
                #expect(try await guest.waitForLine { _ in true } == "of \(name)")
            }
        }
    }

    /// The TXT record's longest string holds 249 bytes of it.
    @Test func join_takesTheWholeName_whenNoRecordHoldsIt() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let name = String(repeating: "five ", count: 50) + "and 4"
            #expect(name.utf8.count == 255)
            let host = try await lan[0].announce(name)
            try await host.send(1...1)
            try await lan[1].join(name).expectLines(1...1)
        }
    }

    @Test func browse_showsNoControlCharacters_whenAHostSendsThem() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let evil = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m evil\r\n\tone\u{202E}"
            let publisher = try lan[0].spawn(
                "avahi-publish", "-s", evil, "_beamscribe._tcp", "9", "v=1",
                "event=\(evil)", "deviceName=\(evil)", "sec=\(evil)")
            try await publisher.waitForLine(containing: "Established", on: .standardError)
            for options in [["--json"], [], ["--watch", "--timeout", "60"]] {
                let browser = try lan[1].browse(options)
                try await browser.waitForLine(containing: "evil")
                let scalars = browser.standardOutputText.unicodeScalars
                let unsafe = scalars.filter { $0.properties.generalCategory == .control }
                #expect(unsafe.allSatisfy { $0 == "\n" }, "\(options)")
                #expect(!scalars.contains("\u{202E}"), "\(options)")
                #expect(!browser.standardOutputText.contains(#"\u00"#), "\(options)")
            }
            try await expectSafeList(of: lan[1])
        }
    }

    /// The list that `join` prints where it finds several.
    private func expectSafeList(of machine: LanHost) async throws {
        let guest = try machine.join("--timeout", "1")
        try await guest.expectExit(69)
        #expect(!guest.standardErrorText.contains("\u{1B}"))
        #expect(guest.standardErrorText.contains("evil"))
    }
}
