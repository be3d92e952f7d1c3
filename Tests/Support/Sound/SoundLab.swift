import Foundation

/// A PipeWire of its own, with its session manager and with devices that are none: a microphone `mic-NAME` and a
/// loudspeaker `spk-NAME` for each name. Needs no root, no D-Bus and no sound card, and touches nothing of the user's.
///
/// Whatever is played into a microphone is what it hears.
public actor SoundLab {
    /// What a device is for.
    public enum Kind: String, Sendable {
        case microphone = "Audio/Source/Virtual"
        case speaker = "Audio/Sink"

        fileprivate var prefix: String { self == .microphone ? "mic" : "spk" }
    }

    private let folder: TemporaryFolder
    private var server: RunningProgram?
    private var manager: RunningProgram?

    /// What a program needs to find it, and nothing else.
    public nonisolated let environment: [String: String]

    /// Starts one; its devices are there when this comes back. The first name's are the usual ones.
    public init(_ names: String...) async throws {
        folder = try TemporaryFolder()
        let run = try folder.makeFolder("run")
        environment = [
            "XDG_RUNTIME_DIR": run, "PIPEWIRE_RUNTIME_DIR": run,
            "XDG_STATE_HOME": folder.path(of: "state"),
            "XDG_CONFIG_HOME": folder.path(of: "config"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        try folder.write(try Self.configuration(names), to: "pipewire.conf")
        try makeManagerFolder()
        try await start()
    }

    /// Why there can be none here; nil where there can.
    public static func unavailableReason() -> String? {
        for program in ["pipewire", "wireplumber", "pw-cat", "pw-cli", "pw-link"]
        where !Tool.exists(program) {
            return "\(program) is missing (Debian: pipewire, pipewire-bin, wireplumber)"
        }
        return FileManager.default.fileExists(atPath: shipped + "/policy.lua.d")
            ? nil : "WirePlumber is not one that is configured by Lua"
    }

    /// `launch` as it has to be to use these devices.
    public nonisolated func inside(_ launch: Launch) -> Launch {
        var launch = launch
        launch.environment.merge(environment.filter { !$0.key.hasPrefix("XDG_STATE") }) { $1 }
        return launch
    }

    // MARK: The server

    /// Starts the server and its session manager anew, with the devices of the beginning.
    public func start() async throws {
        let socket = folder.path(of: "run/pipewire-0")
        // One that was killed leaves it, and nobody listens there.
        try? FileManager.default.removeItem(atPath: socket)
        server = try tool("pipewire", "-c", folder.path(of: "pipewire.conf"))
        try await eventually("PipeWire to listen") {
            FileManager.default.fileExists(atPath: socket)
        }
        manager = try tool("wireplumber")
        try await eventually("the usual devices to be chosen") { [self] in
            let chosen = try await answer("pw-metadata", "-n", "default")
            return chosen.contains("default.audio.sink") && chosen.contains("default.audio.source")
        }
    }

    /// Kills the server; its session manager goes with it.
    public func kill() async throws {
        server?.kill()
        manager?.kill()
        _ = try await server?.waitForExit()
        _ = try await manager?.waitForExit()
    }

    /// A device goes, as one that is pulled out.
    public func remove(_ kind: Kind, _ name: String) async throws {
        let device = "\(kind.prefix)-\(name)"
        guard let id = try await Self.id(of: device, in: answer("pw-cli", "ls", "Node")) else {
            throw WaitFailed(
                what: "the device \(device)", reason: "it is not there", seen: "others")
        }
        _ = try await answer("pw-cli", "destroy", id)
    }

    /// It comes back.
    public func add(_ kind: Kind, _ name: String) async throws {
        _ = try await answer(
            "pw-cli", "create-node", "adapter", Self.device(kind, name, rank: 1_000))
    }

    private static func id(of device: String, in listing: String) -> String? {
        var id: String?
        for line in listing.split(separator: "\n") {
            let words = line.split { " \t,".contains($0) }
            if words.first == "id", words.count > 1 { id = String(words[1]) }
            if line.contains("node.name = \"\(device)\"") { return id }
        }
        return nil
    }

    // MARK: Mouths and ears

    /// Says a WAV file into a microphone, once.
    public func say(_ wave: String, into name: String) async throws -> RunningProgram {
        let mouth = try cat("--playback", wave, called: "mouth-\(name)")
        try await link("mouth-\(name):output_MONO", "mic-\(name):input_MONO")
        return mouth
    }

    /// Records what comes out of a loudspeaker into a WAV file, until it is interrupted.
    public func record(_ name: String, into wave: String) async throws -> RunningProgram {
        let ear = try cat("--record", wave, called: "ear-\(name)")
        try await link("spk-\(name):monitor_MONO", "ear-\(name):input_MONO")
        return ear
    }

    /// A session manager would not link a player with a microphone; nothing is played before it is linked.
    private func cat(_ way: String, _ wave: String, called name: String) throws -> RunningProgram {
        let properties = "{ node.name = \(name), node.autoconnect = false }"
        return try tool(
            "pw-cat", way, "--target", "0", "--rate", "48000", "--channels", "1",
            "--channel-map", "mono", "-P", properties, wave)
    }

    private func link(_ output: String, _ input: String) async throws {
        try await eventually("the ports \(output) and \(input)") { [self] in
            let ports = try await answer("pw-link", "-io").split(separator: "\n")
            return ports.contains { $0 == output } && ports.contains { $0 == input }
        }
        _ = try await answer("pw-link", output, input)
    }

    // MARK: Programs and files

    private func tool(_ words: String...) throws -> RunningProgram {
        var launch = Launch(words[0], arguments: Array(words.dropFirst()))
        launch.environment = environment
        launch.environment["WIREPLUMBER_CONFIG_DIR"] = folder.path(of: "manager")
        launch.environment["WIREPLUMBER_DATA_DIR"] = Self.shipped
        launch.input = .null
        return try RunningProgram(launch)
    }

    private func answer(_ words: String...) async throws -> String {
        var launch = Launch(words[0], arguments: Array(words.dropFirst()))
        launch.environment = environment
        launch.input = .null
        let program = try RunningProgram(launch)
        _ = try await program.waitForExit()
        return program.standardOutputLines.joined(separator: "\n")
    }

    private static func device(_ kind: Kind, _ name: String, rank: Int) -> String {
        """
        { factory.name = support.null-audio-sink, node.name = \(kind.prefix)-\(name), \
        node.description = "\(kind == .microphone ? "Microphone" : "Loudspeaker") of \(name)", \
        media.class = \(kind.rawValue), audio.position = [ MONO ], object.linger = true, \
        priority.session = \(rank) }
        """
    }

    private static func configuration(_ names: [String]) throws -> String {
        let devices = names.enumerated().flatMap { index, name in
            [Kind.microphone, .speaker].map { kind in
                "{ factory = adapter, args = \(device(kind, name, rank: 2_000 - index)) }"
            }
        }
        return try Repository.read("\(lab)/pipewire.conf").replacing(
            "DEVICES", with: devices.joined(separator: "\n  "))
    }

    private static let lab = "Tests/Support/Sound/Lab"
    private static let shipped = "/usr/share/wireplumber"

    /// WirePlumber's own rules, without cards, portals and a memory, which would need D-Bus or make runs differ.
    private func makeManagerFolder() throws {
        let files = FileManager.default
        let manager = try folder.makeFolder("manager")
        for part in ["policy.lua.d", "common"] {
            try files.copyItem(atPath: "\(Self.shipped)/\(part)", toPath: "\(manager)/\(part)")
        }
        try files.createDirectory(
            atPath: "\(manager)/main.lua.d", withIntermediateDirectories: false)
        for part in [
            "00-functions", "20-default-access", "30-alsa-monitor", "30-libcamera-monitor",
            "30-v4l2-monitor", "40-device-defaults", "40-stream-defaults",
        ] {
            try files.copyItem(
                atPath: "\(Self.shipped)/main.lua.d/\(part).lua",
                toPath: "\(manager)/main.lua.d/\(part).lua")
        }
        try folder.write(
            Repository.read("\(Self.lab)/rules.lua"), to: "manager/main.lua.d/80-lab.lua")
        try folder.write(
            Repository.read("\(Self.lab)/wireplumber.conf"), to: "manager/wireplumber.conf")
    }
}
