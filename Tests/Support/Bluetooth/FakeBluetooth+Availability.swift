extension FakeBluetooth {
    /// A Python that has D-Bus; nil for none.
    public static let python: String? = ["python3", "/usr/bin/python3"].first {
        Tool.runBlocking(Launch($0, "-c", "import dbus.service, gi"))
    }

    private static let reason: String? = {
        let missing = ["dbus-daemon", "dbus-send"].filter { !Tool.exists($0) }
        if !missing.isEmpty { return "not installed: \(missing.joined(separator: ", "))" }
        return python == nil ? "python3-dbus or python3-gi is not installed" : nil
    }()

    /// Why there can be no fake Bluetooth here, nil if there can.
    public static func unavailableReason() -> String? { reason }
}
