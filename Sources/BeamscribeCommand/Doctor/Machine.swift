import BeamscribeIO

/// How things are repaired on this kind of machine: the commands that go into advice.
struct Machine: Equatable {
    /// Whether systemd starts the services.
    var hasSystemd: Bool
    /// What installs programs; nil where it is none that is known here.
    var packages: PackageManager?
    /// Whether the command is run by root, who needs no sudo.
    var isRoot: Bool

    enum PackageManager: String, CaseIterable {
        case apt = "apt-get"
        case dnf
        case pacman
    }

    /// A command that only root may run.
    func asRoot(_ command: String) -> String {
        isRoot ? "`\(command)`" : "`sudo \(command)`"
    }

    func start(_ service: String) -> String {
        asRoot(hasSystemd ? "systemctl start \(service)" : "service \(service) start")
    }

    func restart(_ service: String) -> String {
        asRoot(hasSystemd ? "systemctl restart \(service)" : "service \(service) restart")
    }

    /// The command that installs the first package, which Debian calls so, or the second, as
    /// others do; nil where it is not known.
    func install(_ debian: String, _ other: String) -> String? {
        switch packages {
        case .apt: asRoot("apt-get install \(debian)")
        case .dnf: asRoot("dnf install \(other)")
        case .pacman: asRoot("pacman -S \(other)")
        case nil: nil
        }
    }
}

extension Machine {
    init(_ files: SystemFiles, isRoot: Bool) {
        self.init(
            hasSystemd: files.exists("/run/systemd/system"),
            packages: PackageManager.allCases.first { files.exists("/usr/bin/\($0.rawValue)") },
            isRoot: isRoot)
    }
}
