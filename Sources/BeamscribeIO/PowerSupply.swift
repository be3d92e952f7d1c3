internal import BeamscribeCore

/// The machine's batteries, as Linux tells of them
/// (Documentation/ABI/testing/sysfs-class-power).
public enum PowerSupply {
    /// What is left in the machine's batteries together.
    public struct Level: Equatable, Sendable {
        /// In per cent, 0 to 100.
        public var percent: Int
        /// Whether it gets less.
        public var isDischarging: Bool
    }

    /// Where the kernel tells.
    public static let folder = "/sys/class/power_supply"

    private struct Battery {
        var percent: Double
        /// What it holds when full, in any unit; 1 where it does not say.
        var full: Double
        var isDischarging: Bool
    }

    /// The level now; nil on a machine without a battery of its own. Batteries of mice and
    /// headphones (scope "Device") do not count.
    public static func level(in folder: String = folder) -> Level? {
        let batteries = files.names(in: folder).compactMap { battery("\(folder)/\($0)") }
        let full = batteries.reduce(0) { $0 + $1.full }
        guard full > 0 else { return nil }
        let left = batteries.reduce(0) { $0 + $1.percent * $1.full } / full
        return Level(
            percent: min(max(Int(saturating: left.rounded()), 0), 100),
            isDischarging: batteries.contains(where: \.isDischarging))
    }

    private static func battery(_ path: String) -> Battery? {
        guard files.value("\(path)/type") == "Battery", files.value("\(path)/scope") != "Device",
            files.value("\(path)/present") != "0",
            let percent = files.value("\(path)/capacity").flatMap(Double.init), (0...100) ~= percent
        else { return nil }
        let full = ["energy_full", "charge_full"].lazy
            .compactMap { files.value("\(path)/\($0)").flatMap(Double.init) }.first { $0 > 0 }
        return Battery(
            percent: percent, full: full ?? 1,
            isDischarging: files.value("\(path)/status") == "Discharging")
    }

    private static let files = SystemFiles()
}
