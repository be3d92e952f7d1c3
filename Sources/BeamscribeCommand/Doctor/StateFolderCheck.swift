import BeamscribeIO

/// Whether what must last (transcripts, the device's id) can be kept.
enum StateFolderCheck {
    static func result(_ condition: StateFolderCondition) -> CheckResult {
        let path = condition.path
        // Whatever else holds of it: nothing is kept in another user's folder.
        guard condition.isOwn else {
            return CheckResult(
                .stateFolder, .problem,
                "\(path) belongs to another user, so that nothing is kept in it.",
                "Give it to this user with `sudo chown -R \"$(id -un)\" '\(path)'`, or run as its "
                    + "owner.")
        }
        if let error = condition.refusal {
            let place = error.subject == path ? "" : "cannot \(error.operation) \(error.subject): "
            return CheckResult(
                .stateFolder, .problem, "Nothing can be kept in \(path): \(place)\(error.reason).",
                advice(condition, error))
        }
        guard let mode = condition.mode else {
            return .ok(.stateFolder, "\(path) will be made when it is needed.")
        }
        guard mode & 0o077 == 0, mode & 0o700 == 0o700 else {
            return CheckResult(
                .stateFolder, .warning,
                "\(path) has mode \(String(mode, radix: 8)): others may look into it.",
                "The next event closes it. Close it now with `chmod 700 '\(path)'`.")
        }
        return .ok(.stateFolder, "\(path) can be written, by its owner alone.")
    }

    private static func advice(_ condition: StateFolderCondition, _ error: SystemError) -> String {
        if let advice = error.refusal?.advice {
            return advice.prefix(1).uppercased() + advice.dropFirst() + "."
        }
        if condition.exists, error.isPermission {
            return "Give it to this user with `sudo chown -R \"$(id -un)\" '\(condition.path)'`."
        }
        return "Name another folder with the variable XDG_STATE_HOME: until then no transcript is "
            + "kept, and every run is a new device."
    }
}
