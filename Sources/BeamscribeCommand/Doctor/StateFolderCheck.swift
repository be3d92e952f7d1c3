import BeamscribeIO

/// Whether what must last (transcripts, the device's id) can be kept.
enum StateFolderCheck {
    static func result(_ condition: StateFolderCondition) -> CheckResult {
        let path = condition.path
        if let error = condition.refusal {
            let place = error.subject == path ? "" : "cannot \(error.operation) \(error.subject): "
            return result(
                .problem, "Nothing can be kept in \(path): \(place)\(error.reason).",
                advice(condition, error))
        }
        guard let mode = condition.mode else {
            return .ok(.stateFolder, "\(path) will be made when it is needed.")
        }
        guard condition.isOwn else {
            return result(
                .warning, "\(path) belongs to another user.",
                "Give it to this user with `sudo chown -R \"$(id -un)\" '\(path)'`.")
        }
        guard mode & 0o077 == 0, mode & 0o700 == 0o700 else {
            return result(
                .warning, "\(path) has mode \(String(mode, radix: 8)): others may look into it.",
                "Close it with `chmod 700 '\(path)'`.")
        }
        return .ok(.stateFolder, "\(path) can be written, by its owner alone.")
    }

    private static func advice(
        _ condition: StateFolderCondition, _ error: SystemError
    ) -> String {
        if condition.exists, error.isPermission {
            return "Give it to this user with `sudo chown -R \"$(id -un)\" '\(condition.path)'`."
        }
        return "Name another folder with the variable XDG_STATE_HOME: until then no transcript is "
            + "kept, and every run is a new device."
    }

    private static func result(
        _ status: CheckResult.Status, _ found: String, _ advice: String
    ) -> CheckResult {
        CheckResult(check: .stateFolder, status: status, found: found, advice: advice)
    }
}
