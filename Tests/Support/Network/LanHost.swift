import Synchronization

/// One host of a ``Lan``.
public final class LanHost: Sendable {
    /// The host's place in its network, from 0.
    public let index: Int
    /// The host's name: "host1" is the one with index 0.
    public let name: String
    /// The host's private folder, with `home` and `state` in it.
    public let folder: TemporaryFolder
    let namespaces: Namespaces
    let segment: LanSegment
    let services: Mutex<LanServices> = Mutex(LanServices())
    private let currentAddress: Mutex<String>
    private let programs = Mutex<[RunningProgram]>([])

    init(index: Int, subnet: String, segment: LanSegment) async throws {
        self.index = index
        self.segment = segment
        name = "host\(index + 1)"
        currentAddress = Mutex("\(subnet).\(index + 1)")
        folder = try TemporaryFolder()
        for name in ["home", "state"] { try folder.makeFolder(name) }
        let kinds = ["--net", "--uts", "--mount", "--propagation", "private"]
        namespaces = try await Namespaces(kinds, script: LanHost.script(name: name))
        try await segment.plug(index, into: namespaces, hardwareAddress: hardwareAddress)
        try await namespaces.ip(["link set eth0 addrgenmode none up"] + addressCommands)
        try await waitForLink(true)
    }

    deinit {
        stop()
    }

    /// The host's IPv4 address.
    public var address: String { currentAddress.withLock { $0 } }

    /// The host's link-local IPv6 address. Others need it with "%eth0" behind it.
    public var address6: String { "fe80::5eff:fe00:53\(twoDigits)" }

    /// `launch` as it has to be to run on this host: for ``RunningProgram``,
    /// ``TerminalSession`` and ``PseudoTerminal``.
    public func inside(_ launch: Launch) -> Launch {
        var launch = launch
        let variables = [
            "HOME": folder.path(of: "home"), "XDG_STATE_HOME": folder.path(of: "state"),
        ]
        launch.environment.merge(variables) { own, _ in own }
        launch.withoutVariables.formUnion([
            "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR",
            "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
        ])
        launch.prefix = namespaces.prefix + launch.prefix
        return launch
    }

    /// Starts a program on this host. It runs until it ends, is stopped, or the host goes.
    @discardableResult
    public func spawn(_ launch: Launch) throws -> RunningProgram {
        let program = try RunningProgram(inside(launch))
        programs.withLock { $0.append(program) }
        return program
    }

    @discardableResult
    public func spawn(_ executable: String, _ arguments: String...) throws -> RunningProgram {
        try spawn(Launch(executable, arguments: arguments))
    }

    /// Runs a tool on this host to its end and answers what it printed; throws if it fails.
    @discardableResult
    public func run(_ executable: String, _ arguments: String...) async throws -> String {
        try await Tool.run(inside(Launch(executable, arguments: arguments)))
    }

    /// Gives eth0 another IPv4 address, as a new DHCP lease does.
    public func renumber(to new: String) async throws {
        let old = currentAddress.withLock { address in
            defer { address = new }
            return address
        }
        try await namespaces.ip(["addr del \(old)/24 dev eth0"] + addressCommands)
    }

    /// Adds an interface that leads nowhere, such as the "docker0" of many machines.
    public func addInterface(named name: String, address: String) async throws {
        try await namespaces.ip([
            "link add name \(name) type bridge", "addr add \(address)/24 brd + dev \(name)",
            "link set \(name) up",
        ])
    }

    /// eth0's addresses, and the route without which multicast has nowhere to go.
    var addressCommands: [String] {
        [
            "addr replace \(address)/24 brd + dev eth0",
            "addr replace \(address6)/64 dev eth0 scope link nodad",
            "route replace 224.0.0.0/4 dev eth0",
        ]
    }

    /// Kills all that runs here; the host goes with it.
    func stop() {
        for program in programs.withLock({ $0 }) { program.stop() }
        namespaces.stop()
    }

    private var hardwareAddress: String { "02:00:5e:00:53:\(twoDigits)" }

    private var twoDigits: String {
        let digits = String(index + 1, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// Private /run for D-Bus and Avahi, no services of the machine's own to announce, and a
    /// /sys that shows this host's interfaces.
    private static func script(name: String) -> String {
        """
        hostname \(name)
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir /run/dbus
        [ ! -d /etc/avahi/services ] || mount -t tmpfs tmpfs /etc/avahi/services
        mount -t sysfs sysfs /sys 2>/dev/null || true
        echo 1 >/proc/sys/net/ipv6/conf/all/keep_addr_on_down
        echo 1 >/proc/sys/net/ipv6/conf/default/keep_addr_on_down
        ip link set lo up
        """
    }
}
