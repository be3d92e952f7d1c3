/// Interfaces that lead through a tunnel to some other network.
public enum VPNInterface {
    /// Whether an interface of this name is one that a VPN's program makes.
    public static func isVPN(_ name: String) -> Bool {
        prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = [
        "tun", "tap", "wg", "tailscale", "zt", "ppp", "ipsec", "vti", "gre", "nordlynx", "proton",
        "mullvad", "gpd", "cscotun", "utun",
    ]
}
