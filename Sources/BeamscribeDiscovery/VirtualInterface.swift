/// Interfaces that lead to containers and virtual machines of this machine and not to a LAN.
public enum VirtualInterface {
    /// Whether an interface of this name is one that a container or virtual machine manager makes.
    public static func isVirtual(_ name: String) -> Bool {
        prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = [
        "docker", "br-", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxcbr", "lxdbr", "incusbr",
        "podman", "cni", "flannel", "cali", "cilium", "kube", "weave",
    ]
}
