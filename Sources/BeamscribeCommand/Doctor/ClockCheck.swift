import BeamscribeIO

/// Whether the clock is right, which latencies and the times in transcripts depend on.
enum ClockCheck {
    static func result(_ state: ClockState, on machine: Machine) -> CheckResult {
        guard plausibleYears.contains(state.year) else {
            return CheckResult(
                .clock, .warning, "The clock says that it is the year \(state.year).",
                "Set it with \(machine.asRoot("date -s 'YYYY-MM-DD HH:MM'")).")
        }
        switch state.isSynchronised {
        case true?: return .ok(.clock, "The clock is kept right by a time service.")
        case false?:
            let start = machine.hasSystemd ? machine.asRoot("timedatectl set-ntp true") : nil
            let command = start ?? machine.install("chrony", "chrony")
            return CheckResult(
                .clock, .warning,
                "No time service keeps the clock right, so latencies and times in transcripts may "
                    + "be off.",
                command.map { "Have it set with \($0)." } ?? "Install a time service: chrony.")
        case nil:
            return CheckResult(
                .clock, .note,
                "The system does not tell whether the clock is right.",
                "Compare it with another clock: `date`.")
        }
    }

    /// From the year of this program on, and not for ever.
    private static let plausibleYears = 2025...2100
}
