import Foundation
import TestSupport
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeIO

/// What is found in folders that stand for /sys, /proc and /etc, and what is said of it.
@Suite struct MachineCheckTests {
    private let folder: TemporaryFolder
    private let debian = Machine(hasSystemd: true, packages: .apt, isRoot: false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var files: SystemFiles { SystemFiles(root: folder.path) }

    private func write(_ text: String, to path: String) throws {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try folder.makeFolder(parent)
        try folder.write(text, to: path)
    }

    @Test func machine_isKnown_byItsFiles() throws {
        try folder.makeFolder("run/systemd/system")
        try write("", to: "usr/bin/dnf")
        let machine = Machine(files, isRoot: true)
        #expect(machine == Machine(hasSystemd: true, packages: .dnf, isRoot: true))
        let none = Machine(SystemFiles(root: "/nowhere"), isRoot: false)
        #expect(none == Machine(hasSystemd: false, packages: nil, isRoot: false))
        #expect(none.install("a", "b") == nil)
    }

    // MARK: ufw

    private func ufw() -> Bool {
        FirewallFindings.collect(
            port: 1, in: files, environment: ["PATH": folder.path], patience: .seconds(5)
        ).isUFWEnabled
    }

    @Test func ufw_isOn_whenItsSettingsSaySo() throws {
        #expect(!ufw())
        try write("# ENABLED=yes\nENABLED=no\n", to: "etc/ufw/ufw.conf")
        #expect(!ufw())
        try write("# Set to yes\nENABLED=yes\nLOGLEVEL=low\n", to: "etc/ufw/ufw.conf")
        #expect(ufw())
    }

    /// Programs of the user's path stand in for firewall-cmd, which answers by its exit code.
    @Test func firewalld_isAsked_forWhatItLetsIn() throws {
        let script = """
            #!/bin/sh
            case $1 in --state) exit 0;; --query-port=7/tcp) exit 1;; *) exit 0;; esac
            """
        let path = try folder.write(script, to: "firewall-cmd")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let findings = FirewallFindings.collect(
            port: 7, in: files, environment: ["PATH": folder.path], patience: .seconds(5))
        #expect(
            findings.firewalld
                == FirewallFindings.Firewalld(letsInMulticastDNS: true, letsInConnections: false))
    }

    // MARK: Sound

    @Test func sound_isNoMoreThanANote_whateverIsLacking() {
        let result = { SoundCheck.result($0, on: debian) }
        let fine = SoundCheck.Findings.devices(
            server: "PipeWire", microphones: 1, speakers: 2, isInTime: true)
        #expect(result(fine).status == .ok)
        #expect(
            result(fine).found
                == "PipeWire has 1 microphone and 2 loudspeakers, and sound goes before other work."
        )
        let slow = result(
            .devices(server: "PipeWire", microphones: 0, speakers: 1, isInTime: false))
        #expect(slow.status == .note)
        #expect(slow.advice == "Install RealtimeKit with `sudo apt-get install rtkit`.")
        let unknown = result(
            .devices(server: "PipeWire", microphones: 0, speakers: 1, isInTime: nil))
        #expect(unknown == .ok(.sound, "PipeWire has 0 microphones and 1 loudspeaker."))
        let direct = result(.devices(server: "ALSA", microphones: 2, speakers: 1, isInTime: true))
        #expect(direct.status == .note)
        #expect(direct.advice?.contains("talk --try") == true)
        let empty = result(
            .devices(server: "PipeWire", microphones: 0, speakers: 0, isInTime: true))
        #expect(empty.status == .note)
        let none = result(.none("there is no sound card"))
        #expect(none.status == .note)
        #expect(none.advice?.contains("apt-get install pipewire wireplumber") == true)
        #expect(result(.notBuilt).status == .note)
    }

    // MARK: Clock, folder, disk

    @Test func clock_isWarnedOf_whenItIsNotKeptRight() {
        let result = { (isSynchronised: Bool?, year: Int) in
            ClockCheck.result(ClockState(isSynchronised: isSynchronised, year: year), on: debian)
        }
        #expect(result(true, 2_026).status == .ok)
        #expect(result(false, 2_026).status == .warning)
        #expect(result(false, 2_026).advice?.contains("timedatectl set-ntp true") == true)
        #expect(result(true, 1_970).status == .warning)
        #expect(result(true, 1_970).found.contains("1970"))
        #expect(result(nil, 2_026).status == .note)
        let bare = Machine(hasSystemd: false, packages: .dnf, isRoot: true)
        let advice = ClockCheck.result(ClockState(isSynchronised: false, year: 2_026), on: bare)
        #expect(advice.advice == "Have it set with `dnf install chrony`.")
    }

    private func state(_ change: (inout StateFolderCondition) -> Void) -> CheckResult {
        var condition = StateFolderCondition(path: "/s/beamscribe", nearest: "/s")
        change(&condition)
        return StateFolderCheck.result(condition)
    }

    @Test func stateFolder_isFine_whenItIsThereOrCanBeMade() {
        #expect(state { _ in }.status == .ok)
        #expect(state { $0.mode = 0o700 }.status == .ok)
    }

    @Test func stateFolder_isWarnedOf_whenOthersMayLookIn() {
        #expect(state { $0.mode = 0o755 }.status == .warning)
        #expect(
            state { $0.mode = 0o755 }.advice
                == "The next event closes it. Close it now with `chmod 700 '/s/beamscribe'`.")
        let foreign = state {
            $0.mode = 0o700
            $0.isOwn = false
        }
        #expect(foreign.status == .problem)
        #expect(foreign.advice?.contains("chown") == true)
    }

    @Test func stateFolder_isAProblem_whenItCannotBeWritten() {
        let denied = SystemError("write to", "/s/beamscribe", code: 13)
        let own = state {
            $0.mode = 0o700
            $0.refusal = denied
        }
        #expect(own.status == .problem)
        #expect(own.found.contains("Permission denied"))
        #expect(own.advice?.contains("chown") == true)
        #expect(state { $0.refusal = denied }.advice?.contains("XDG_STATE_HOME") == true)
        let silent = StateFolderCheck.result(.silent(path: "/nfs/beamscribe"))
        #expect(silent.status == .problem)
    }

    @Test func diskSpace_isJudged_byWhatIsLeft() {
        let result = { (bytes: UInt64) in
            DiskSpaceCheck.result(DiskSpace(bytes: bytes), at: "/s")
        }
        #expect(result(0).status == .problem)
        #expect(result(1).status == .warning)
        #expect(result(100 << 20 - 1).status == .warning)
        #expect(result(100 << 20).status == .ok)
        #expect(result(5 << 30).found.hasPrefix("5120 MiB are free"))
        #expect(result(50 << 30).found.hasPrefix("50 GiB are free"))
        let full = DiskSpace(bytes: 1 << 40, hasFiles: false)
        #expect(DiskSpaceCheck.result(full, at: "/s").status == .problem)
        #expect(DiskSpaceCheck.result(nil, at: "/s").status == .warning)
    }
}
