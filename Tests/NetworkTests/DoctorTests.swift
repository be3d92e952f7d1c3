import TestSupport
import Testing

/// What `beamscribe doctor` finds on machines that lack something.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(3))) struct DoctorTests {
    @Test func doctor_findsNothingWrong_onAHealthyMachine() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            let stopwatch = Stopwatch()
            let report = try await lan[0].doctor(expecting: 0)
            stopwatch.report("a doctor's visit to a healthy machine")
            #expect(
                report.checks.map(\.check) == [
                    "avahi", "dbus", "multicast", "port", "virtual-interfaces", "firewall",
                    "bluetooth", "clock", "state-folder", "disk-space", "recogniser",
                    "sound", "words",
                ])
            #expect(report.names("problem") == [])
            let fine = ["avahi", "dbus", "multicast", "port", "firewall", "state-folder"]
            #expect(fine.allSatisfy { report[$0]?.status == "ok" }, "\(report)")
            #expect(report.checks.allSatisfy { ($0.status == "ok") == ($0.advice == nil) })
            #expect(report["avahi"]?.found.contains("host1.local") == true)
            #expect(report["multicast"]?.found.contains("Avahi finds there") == true)
            #expect(report["port"]?.found.contains(lan[0].address) == true)
            let text = try await lan[0].doctorText(expecting: 0)
            let last = try #require(text.split(separator: "\n").last)
            #expect(last.hasPrefix("beamscribe works here."))
            #expect(!text.contains("\u{1B}"))
        }
    }

    /// The report promises what it says: the main job, done on two such machines.
    @Test func doctor_isRight_thatAHealthyMachineWorks() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            for machine in lan.hosts { _ = try await machine.doctor(expecting: 0) }
            let host = try await lan[0].announce("Healthy")
            try await host.send(1...2)
            try await lan[1].join("Healthy").expectLines(1...2)
        }
    }

    @Test func doctor_findsNothingWrong_asAnOrdinaryUser() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].run("chmod", "-R", "a+rwX", lan[0].folder.path)
            let text = try await lan[0].doctorText(expecting: 0, as: Self.nobody)
            #expect(text.contains("sudo beamscribe doctor"))
            #expect(text.contains("ok       Avahi"))
        }
    }

    @Test func doctor_tellsToStartAvahi_whenItIsNotRunning() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].stopAvahi()
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["avahi"])
            let advice = try #require(report["avahi"]?.advice)
            #expect(advice.contains("avahi-daemon start") || advice.contains("start avahi-daemon"))
            let text = try await lan[0].doctorText(expecting: 69)
            #expect(text.contains("problem  Avahi"))
            #expect(text.hasSuffix("What needs repair: Avahi.\n"))
        }
    }

    @Test func doctor_namesTheCauseAlone_whenThereIsNoBus() async throws {
        try await Lan.with(hosts: 1) { lan in
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["dbus"])
            #expect(report["avahi"]?.status == "note")
            #expect(report["avahi"]?.found.contains("could not be asked") == true)
            #expect(report["dbus"]?.advice?.contains("dbus") == true)
            let text = try await lan[0].doctorText(expecting: 69)
            #expect(text.hasSuffix("What needs repair: D-Bus.\n"))
        }
    }

    /// Whoever hangs is stopped by SIGSTOP: it takes connections and answers nothing.
    @Test(arguments: ["dbus-daemon", "avahi-daemon"])
    func doctor_isDoneInTime_whenADaemonHangs(_ daemon: String) async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            if daemon == "dbus-daemon" { lan[0].suspendBus() } else { lan[0].suspendAvahi() }
            let stopwatch = Stopwatch()
            let report = try await lan[0].doctor(expecting: 69)
            stopwatch.report("a doctor's visit while \(daemon) hangs")
            let name = daemon == "dbus-daemon" ? "dbus" : "avahi"
            #expect(report.names("problem") == [name])
            #expect(report[name]?.found.contains("does not answer") == true)
            #expect(report[name]?.advice?.contains("restart") == true)
        }
    }

    @Test func doctor_tellsHowToOpenTheFirewall_whenItDropsMulticastDNS() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await drop("udp dport 5353", on: lan[0])
            let command = "nft insert rule inet filter input udp dport 5353 accept"
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["multicast", "firewall"])
            #expect(report["multicast"]?.found.contains("eth0 (IPv4) and eth0 (IPv6)") == true)
            #expect(report["multicast"]?.advice?.contains(command) == true)
            #expect(report["firewall"]?.advice?.contains(command) == true)
            let text = try await lan[0].doctorText(expecting: 69)
            #expect(text.contains(command), "It is not broken across rows.")
            try await follow(command, on: lan[0])
            _ = try await lan[0].doctor(expecting: 0)
        }
    }

    /// Who is not root sees the effect and not the rule.
    @Test func doctor_suspectsTheFirewall_whenItMayNotReadIt() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].run("chmod", "-R", "a+rwX", lan[0].folder.path)
            try await drop("udp dport 5353", on: lan[0])
            let text = try await lan[0].doctorText(expecting: 69, as: Self.nobody)
            #expect(text.contains("problem  Multicast"))
            #expect(text.contains("`sudo ufw allow 5353/udp`"))
            #expect(text.hasSuffix("What needs repair: Multicast.\n"))
        }
    }

    @Test func doctor_tellsHowToOpenTheFirewall_whenItDropsThePort() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await drop("tcp dport 23267", on: lan[0])
            let command = "nft insert rule inet filter input tcp dport 23267 accept"
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["port", "firewall"])
            #expect(report["port"]?.found.contains("no answer") == true)
            #expect(report["port"]?.advice?.contains(command) == true)
            #expect(report["firewall"]?.advice?.contains(command) == true)
            try await follow(command, on: lan[0])
            _ = try await lan[0].doctor(expecting: 0)
        }
    }

    /// This machine reaches itself by `lo`, so that only the rules show what others meet.
    @Test func doctor_readsTheRules_whenTheyDropWhatComesFromOutsideAlone() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            try await drop("iifname \"eth0\" tcp dport 20000-30000", on: lan[0])
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["firewall"])
            let host = try await lan[0].announce("Walled")
            let guest = try lan[1].join("--host", lan[0].address, "--timeout", "1")
            try await guest.expectExit(69)
            host.stop()
        }
    }

    @Test func doctor_asksForANetwork_whenThereIsNone() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].cut(.withAddresses)
            let report = try await lan[0].doctor(expecting: 69)
            #expect(report.names("problem") == ["multicast"])
            #expect(report["multicast"]?.found.contains("eth0") == true)
            #expect(report["multicast"]?.advice?.contains("Connect this machine") == true)
            try await lan[0].run("ip", "link", "set", "eth0", "down")
            let text = try await lan[0].doctorText(expecting: 69)
            #expect(text.contains("problem  Multicast     No network:"))
        }
    }

    @Test func doctor_namesWhoHasThePort_whenItIsTaken() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            let host = try await lan[0].host("Taker", "--no-bonjour")
            let report = try await lan[0].doctor(expecting: 0)
            #expect(report["port"]?.status == "warning")
            #expect(report["port"]?.found.contains("beamscribe (process \(host.pid))") == true)
            #expect(report["port"]?.advice?.contains("free port") == true)
            let text = try await lan[0].doctorText(expecting: 0)
            #expect(text.contains("warning  Port"))
            #expect(text.contains("Worth a look: Port"))
        }
    }

    @Test func doctor_namesContainersAndTunnels_andWhatToDo() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].addInterface(named: "wg0", address: "10.8.0.2")
            try await lan[0].addInterface(named: "docker0", address: "172.17.0.1")
            let first = try await lan[0].doctor(expecting: 0)["virtual-interfaces"]
            #expect(first?.status == "note")
            #expect(first?.found.contains("wg0 (10.8.0.2)") == true)
            #expect(first?.found.contains("docker0") == false, "The lab's Avahi is not on it.")
            #expect(first?.advice?.contains("--bind \(lan[0].address)") == true)
        }
    }

    @Test func doctor_warns_whenAvahiIsKeptOffAnInterface() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].addInterface(named: "eth7", address: "198.18.255.1")
            // An empty bridge has no carrier; with a port it is as good as a network.
            try await lan[0].run("ip", "link", "add", "p0", "type", "veth", "peer", "name", "p1")
            try await lan[0].run("ip", "link", "set", "p0", "master", "eth7", "up")
            try await lan[0].run("ip", "link", "set", "p1", "up")
            try await eventually("eth7 to have a carrier") {
                try await lan[0].run("ip", "-br", "link", "show", "eth7").contains(" UP ")
            }
            let report = try await lan[0].doctor(expecting: 0)
            #expect(report["multicast"]?.status == "warning")
            #expect(report["multicast"]?.found.contains("does not work on eth7") == true)
            #expect(report["multicast"]?.advice?.contains("allow-interfaces") == true)
        }
    }

    private static let nobody = [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
    ]

    private func drop(_ packets: String, on machine: LanHost) async throws {
        try await machine.run("nft", "add table inet filter")
        let hook = "{ type filter hook input priority 0; policy accept; }"
        try await machine.run("nft", "add chain inet filter input \(hook)")
        try await machine.run("nft", "add rule inet filter input \(packets) drop")
    }

    /// Does what the advice says.
    private func follow(_ command: String, on machine: LanHost) async throws {
        try await machine.run("nft", String(command.dropFirst("nft ".count)))
    }
}
