import Synchronization

extension LanHost {
    /// Starts the host's system D-Bus; it takes connections when this comes back.
    public func startBus() async throws {
        try await namespaces.run("rm", "-f", "/run/dbus/system_bus_socket")
        var launch = Launch(
            "dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1")
        launch.input = .null
        let bus = try RunningProgram(inside(launch))
        services.withLock { $0.bus = bus }
        try await bus.waitForLine("D-Bus to listen on \(name)") { $0.hasPrefix("unix:") }
    }

    /// Stops D-Bus. avahi-daemon ends with it.
    public func stopBus() async throws {
        try await end(services.withLock { $0.bus })
    }

    /// Starts the host's avahi-daemon, which needs about a second until ``waitForAvahi(within:)``
    /// is content.
    public func startAvahi() async throws {
        try await namespaces.run("rm", "-f", "/run/avahi-daemon/pid")
        let path = try folder.write(avahiSettings, to: "avahi.conf")
        var launch = Launch("avahi-daemon", "--no-chroot", "-f", path)
        launch.input = .null
        let avahi = try RunningProgram(inside(launch))
        services.withLock { $0.avahi = avahi }
    }

    /// Stops avahi-daemon in good order: it takes back what it announced.
    public func stopAvahi() async throws {
        try await end(services.withLock { $0.avahi })
    }

    /// SIGKILL for avahi-daemon: nobody is told.
    public func killAvahi() async throws {
        let avahi = services.withLock { $0.avahi }
        avahi?.kill()
        try await avahi?.waitForExit()
    }

    /// Waits until avahi-daemon says on D-Bus that it is running: its host name is its own.
    nonisolated(nonsending) public func waitForAvahi(
        within limit: Duration = Deadline.generous
    ) async throws {
        guard let avahi = services.withLock({ $0.avahi }) else {
            throw SpawnFailed("avahi-daemon on \(name)", "startAvahi() was not called")
        }
        let what = "avahi-daemon on \(name) to be running"
        try await avahi.waitForLine(what, on: .standardError, within: limit) {
            $0.contains("Server startup complete")
        }
        try await eventually(what, within: limit, seen: { avahi.output.report }) {
            await self.avahiState() == "2"
        }
    }

    /// What avahi-daemon wrote to its log, for messages.
    public var avahiLog: [String] {
        services.withLock { $0.avahi }?.standardErrorLines ?? []
    }

    /// AvahiServerState by its number (2 is running), or what went wrong.
    private func avahiState() async -> String {
        let call = Launch(
            "dbus-send", "--system", "--print-reply=literal", "--reply-timeout=1000",
            "--dest=org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server.GetState")
        do {
            return try await Tool.run(inside(call)).split(whereSeparator: \.isWhitespace).last
                .map(String.init) ?? ""
        } catch {
            return "\(error)"
        }
    }

    private func end(_ program: RunningProgram?) async throws {
        program?.terminate()
        try await program?.waitForExit()
    }

    private var avahiSettings: String {
        """
        [server]
        host-name=\(name)
        use-ipv4=yes
        use-ipv6=yes
        allow-interfaces=eth0,lo
        ratelimit-interval-usec=1000000
        ratelimit-burst=1000
        [wide-area]
        enable-wide-area=no
        [publish]
        publish-hinfo=no
        publish-workstation=no

        """
    }
}
