import Foundation

/// A D-Bus daemon of its own with a stand-in for bluetoothd on it, whose adapters share one
/// simulated radio. Needs no root and no Bluetooth. It goes with the last reference.
///
/// A program reaches it by `BEAMSCRIBE_BLUEZ_BUS_ADDRESS` (``inside(_:)``). An adapter does not hear
/// itself, so a host and a guest on the same one need it to have two adapters.
public actor FakeBluetooth {
    /// The address of the bus, which stays the same when the bus is stopped and started.
    public nonisolated let busAddress: String

    private let folder: TemporaryFolder
    private let arguments: [String]
    var bus: RunningProgram?
    var daemon: RunningProgram?
    private var commands = 0

    /// Starts both.
    ///
    /// - Parameters:
    ///   - adapters: how many there are at first: hci0, hci1, ...
    ///   - interval: the time between two repeats of an advertisement.
    ///   - memory: how long a device is remembered after the search for it.
    public init(
        adapters: Int = 2, interval: Duration = .milliseconds(100), memory: Duration = .seconds(30)
    ) async throws {
        folder = try TemporaryFolder()
        busAddress = "unix:path=\(folder.path(of: "bus"))"
        arguments = [
            "--adapters", "\(adapters)", "--interval", "\(interval / .seconds(1))",
            "--forget", "\(memory / .seconds(1))",
        ]
        try await startBus()
        try await startDaemon()
    }

    /// `launch` as it has to be to use this Bluetooth and no other.
    public nonisolated func inside(_ launch: Launch) -> Launch {
        var launch = launch
        launch.environment["BEAMSCRIBE_BLUEZ_BUS_ADDRESS"] = busAddress
        return launch
    }

    // MARK: The programs

    /// Starts the bus; it takes connections when this comes back.
    public func startBus() async throws {
        try? FileManager.default.removeItem(atPath: folder.path(of: "bus"))
        let settings = try writeSettings(isClosed: false)
        var launch = Launch(
            "dbus-daemon", "--config-file=\(settings)", "--nofork", "--nopidfile", "--nosyslog",
            "--print-address=1")
        launch.input = .null
        let bus = try RunningProgram(launch)
        self.bus = bus
        try await bus.waitForLine("the fake Bluetooth's bus to listen") { $0.hasPrefix("unix:") }
    }

    /// Ends the bus, and bluetoothd with it.
    public func stopBus() async throws {
        bus?.terminate()
        try await bus?.waitForExit()
        try await daemon?.waitForExit()
    }

    /// Starts bluetoothd, without any memory; it has its name when this comes back.
    public func startDaemon() async throws {
        let program = "\((#filePath as NSString).deletingLastPathComponent)/fake-bluetoothd"
        var launch = Launch(
            Self.python ?? "python3", arguments: ["-B", program, busAddress] + arguments)
        launch.withoutVariables = ["PYTHONHOME", "PYTHONPATH"]
        let daemon = try RunningProgram(launch)
        self.daemon = daemon
        try await daemon.waitForLine("the fake bluetoothd to be ready") { $0 == "ready" }
    }

    /// Ends bluetoothd in good order: it takes its clients' advertisements back.
    public func stopDaemon() async throws {
        daemon?.terminate()
        try await daemon?.waitForExit()
    }

    /// Ends bluetoothd at once: nobody is told but by the bus.
    public func killDaemon() async throws {
        daemon?.kill()
        try await daemon?.waitForExit()
    }

    /// From now on nobody may talk to bluetoothd, or again everybody may: the bus's own policy.
    public func refuseEveryone(_ isRefusing: Bool = true) async throws {
        _ = try writeSettings(isClosed: isRefusing)
        try await Tool.run(
            Launch(
                "dbus-send", "--bus=\(busAddress)", "--print-reply",
                "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ReloadConfig"))
    }

    private func writeSettings(isClosed: Bool) throws -> String {
        let door = isClosed ? "<deny send_destination='org.bluez' send_type='method_call'/>" : ""
        return try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(busAddress)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                \(door)
              </policy>
            </busconfig>

            """, to: "bus.conf")
    }

    // MARK: Commands

    /// Has bluetoothd do something, and answers what it says.
    @discardableResult
    func command(_ name: String, _ values: Values = Values()) async throws -> Answer.Result? {
        guard let daemon else { throw SpawnFailed("bluetoothd", "startDaemon() was not called") }
        commands += 1
        let number = commands
        let request = try JSONEncoder().encode(
            Request(number: number, command: name, values: values))
        try await daemon.write(String(decoding: request, as: UTF8.self) + "\n")
        var answer: Answer?
        try await daemon.waitForLine("the fake bluetoothd's answer to \(name)") { line in
            answer = try? JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            return answer?.number == number
        }
        if let reason = answer?.failed {
            throw SpawnFailed("\(name) of the fake bluetoothd", reason)
        }
        return answer?.result
    }
}
