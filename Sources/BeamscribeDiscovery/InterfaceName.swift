/// What the name of a network interface tells.
public enum InterfaceName {
    /// Whether it is one that a container or virtual machine manager makes: it leads to containers
    /// and virtual machines of this machine and not to a LAN.
    public static func isVirtual(_ name: String) -> Bool { virtual.contains(where: name.hasPrefix) }

    /// Whether it is one that a VPN's program makes: it leads through a tunnel to some other network.
    public static func isVPN(_ name: String) -> Bool { tunnels.contains(where: name.hasPrefix) }

    private static let virtual = [
        "docker", "br-", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxcbr", "lxdbr", "incusbr",
        "podman", "cni", "flannel", "cali", "cilium", "kube", "weave",
    ]
    private static let tunnels = [
        "tun", "tap", "wg", "tailscale", "zt", "ppp", "ipsec", "vti", "gre", "nordlynx", "proton",
        "mullvad", "gpd", "cscotun", "utun",
    ]
}
