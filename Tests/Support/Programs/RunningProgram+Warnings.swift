extension RunningProgram {
    /// What the program has warned of, but for the Bluetooth that it is started without.
    public var warnings: [String] { allWarnings.filter { !$0.contains("Bluetooth") } }

    /// What the program has warned of. That nobody has said anything for ten seconds tells of this
    /// machine: on a busy one they are soon over.
    public var allWarnings: [String] {
        standardErrorLines.filter { $0.hasPrefix("warning:") && !$0.contains("No input for") }
    }
}
