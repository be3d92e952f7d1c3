import Glibc

extension Lan {
    private static let reason: String? = {
        if geteuid() != 0 { return "test networks need root (namespaces)" }
        let tools = [
            "unshare", "nsenter", "ip", "nft", "ss", "mount", "hostname", "dbus-daemon",
            "dbus-send", "avahi-daemon",
        ]
        let missing = tools.filter { !Tool.exists($0) }
        if !missing.isEmpty { return "not installed: \(missing.joined(separator: ", "))" }
        return trial()
    }()

    /// Why no ``Lan`` can be made here, nil if it can.
    public static func unavailableReason() -> String? { reason }

    /// A container may be root and still not be allowed to do this.
    private static func trial() -> String? {
        let steps = [
            ("mount", "mount -t tmpfs tmpfs /run"),
            ("make a bridge", "ip link add name br0 type bridge"),
            ("make a veth pair", "ip link add name v0 type veth peer name v1"),
            ("filter a bridge", "nft add table bridge faults"),
        ]
        let kinds = ["--net", "--uts", "--mount", "--propagation", "private"]
        guard Tool.runBlocking(Launch("unshare", arguments: kinds + ["true"])) else {
            return "this system does not let root make namespaces"
        }
        for (what, step) in steps {
            let words = kinds + ["sh", "-ec", "PATH=$PATH:/usr/sbin:/sbin; \(step)"]
            if !Tool.runBlocking(Launch("unshare", arguments: words)) {
                return "this system cannot \(what) in a namespace"
            }
        }
        return nil
    }
}
