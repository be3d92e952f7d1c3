import BeamscribeIO

/// Whether there is room where the program keeps what must last. An hour of captions takes about
/// a megabyte.
enum DiskSpaceCheck {
    /// - Parameter space: nil where the file system gave no answer.
    static func result(_ space: DiskSpace?, at path: String) -> CheckResult {
        guard let space else {
            return CheckResult(
                .diskSpace, .warning, "The file system of \(path) does not answer.",
                "Name a folder on another one with the variable XDG_STATE_HOME.")
        }
        let advice = "Make room: `df -h '\(path)'` shows which file system it is."
        if space.bytes == 0 {
            return CheckResult(.diskSpace, .problem, "The disk of \(path) is full.", advice)
        }
        if !space.hasFiles {
            return CheckResult(
                .diskSpace, .problem, "The disk of \(path) can hold no more files.",
                "Remove files that nobody needs: `df -i '\(path)'` counts them.")
        }
        let words = "\(size(space.bytes)) are free where the state folder is"
        if space.bytes < enough {
            return CheckResult(.diskSpace, .warning, "Only \(words).", advice)
        }
        return .ok(.diskSpace, "\(words); an hour of captions takes about 1 MB.")
    }

    private static func size(_ bytes: UInt64) -> String {
        let mebibytes = bytes >> 20
        if mebibytes == 0 { return "\(bytes >> 10) KiB" }
        return mebibytes < 10_240 ? "\(mebibytes) MiB" : "\(mebibytes >> 10) GiB"
    }

    /// 100 MiB.
    private static let enough: UInt64 = 100 << 20
}
