import BeamscribeIO

/// Interfaces that lead elsewhere than to the guests, and that a host is announced or listens on.
enum VirtualInterfaceCheck {
    /// - Parameter announced: the interfaces on which Avahi announces; nil where that is unknown.
    static func result(_ survey: InterfaceSurvey, announced: Set<String>?) -> CheckResult {
        // A container's bridge is not shown to guests, so it is of interest for Avahi alone.
        let containers = survey.containers.filter { announced?.contains($0.name) ?? true }
        var found: [String] = []
        if !containers.isEmpty {
            found.append(
                "Events are announced to containers or virtual machines too: "
                    + "\(names(containers)).")
        }
        if !survey.tunnels.isEmpty {
            found.append(
                "A host can also be reached through, and shows the address of, what looks like a "
                    + "VPN: \(names(survey.tunnels)).")
        }
        guard !found.isEmpty else {
            return .ok(
                .virtualInterfaces,
                "No event is announced to containers or virtual machines, and no VPN is up.")
        }
        return CheckResult(
            .virtualInterfaces, .note, found.joined(separator: " "),
            advice(survey))
    }

    private static func advice(_ survey: InterfaceSurvey) -> String {
        let address = survey.likeliest.map(\.description) ?? "ADDRESS"
        return "To keep an event to one network: `beamscribe host --bind \(address) ...`."
    }

    private static func names(_ interfaces: [NetworkInterface]) -> String {
        WordList.of(
            interfaces.map { one in
                one.addresses.first.map { "\(one.name) (\($0))" } ?? one.name
            })
    }
}
