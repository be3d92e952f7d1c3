extension RunningProgram {
    /// What the program has warned of, but for the Bluetooth that it is started without.
    public var warnings: [String] {
        standardErrorLines.filter { $0.hasPrefix("warning:") && !$0.contains("Bluetooth") }
    }
}
