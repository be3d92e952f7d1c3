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

        /// A level in per cent.
        public init(percent: Int, isDischarging: Bool) {
            self.percent = percent
            self.isDischarging = isDischarging
        }
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
        let batteries = SmallFile.names(in: folder).compactMap { battery("\(folder)/\($0)") }
        let full = batteries.reduce(0) { $0 + $1.full }
        guard full > 0 else { return nil }
        let left = batteries.reduce(0) { $0 + $1.percent * $1.full } / full
        return Level(
            percent: min(max(Int(saturating: left.rounded()), 0), 100),
            isDischarging: batteries.contains(where: \.isDischarging))
    }

    private static func battery(_ path: String) -> Battery? {
        guard text("\(path)/type") == "Battery", text("\(path)/scope") != "Device",
            text("\(path)/present") != "0",
            let percent = text("\(path)/capacity").flatMap(Double.init), (0...100) ~= percent
        else { return nil }
        let full = ["energy_full", "charge_full"].lazy
            .compactMap { text("\(path)/\($0)").flatMap(Double.init) }.first { $0 > 0 }
        return Battery(
            percent: percent, full: full ?? 1,
            isDischarging: text("\(path)/status") == "Discharging")
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? SmallFile.read(path, limit: 256) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
