import BeamscribeCore

/// All checks together.
struct Diagnosis: Encodable {
    /// The results in the order of the checks.
    let checks: [CheckResult]
    /// Whether beamscribe can do its main job here.
    let verdict: Verdict

    enum Verdict: String, Encodable {
        case ok
        case problem
    }

    init(_ checks: [CheckResult]) {
        self.checks = checks
        verdict = checks.contains { $0.status == .problem } ? .problem : .ok
    }

    /// The verdict as the report's last sentence.
    var sentence: String {
        let names = { (status: CheckResult.Status) in
            checks.filter { $0.status == status }.map(\.check.title).joined(separator: ", ")
        }
        guard verdict == .ok else {
            return "beamscribe does not fully work here as things are. What needs repair: "
                + "\(names(.problem))."
        }
        let warnings = names(.warning)
        return warnings.isEmpty
            ? "beamscribe works here."
            : "beamscribe works here. Worth a look: \(warnings)."
    }

    /// The diagnosis as one line of JSON; docs/DOCTOR.md describes it.
    var line: String {
        // JSON leaves DEL, C1 and changes of direction as they are.
        SafeText.line(json) + "\n"
    }
}
