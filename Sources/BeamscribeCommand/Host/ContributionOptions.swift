import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// Captions that go into somebody else's event, and whose may go into this host's.
struct ContributionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Caption in this event of another host, as one more log of it: a room, a language, a second captioner.",
            valueName: "event"),
        completion: Completions.events)
    var into: String?

    @Option(
        help: ArgumentHelp(
            "Stand by for the captions of this event of another host: read along, serve it to others, and caption once nobody else does, or when the captions are handed over.",
            valueName: "event"),
        completion: Completions.events)
    var standby: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What your captions are called there (with --into; with --standby: Standby).",
            valueName: "label"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "Your captions are a translation of this log of the event, floor for the host's own, into the language of --lang: readers of that language see them instead (with --into).",
            valueName: "label"))
    var of: String?

    @Option(
        help: ArgumentHelp(
            "Where that event is, without looking for it (with --into or --standby).",
            valueName: "address[:port]"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Let the captions of this key, or of `all`, into your event, too (beamscribe host --into). Can be repeated.",
            valueName: "hex|all"))
    var admit: [String] = []

    @Option(
        help: ArgumentHelp(
            "Take no more captions of this key into your event, also where --admit says all (with --resume: of whom you have let in before). Can be repeated.",
            valueName: "hex"))
    var revoke: [String] = []

    func validate() throws {
        for key in admit {
            try check(
                key == "all" || FingerprintPin(key) != nil,
                "--admit takes all, or the 16 to 64 hexadecimal digits of a key, not '\(key)'.")
        }
        for key in revoke {
            try check(
                FingerprintPin(key) != nil,
                "--revoke takes the 16 to 64 hexadecimal digits of a key, not '\(key)'.")
        }
        try check(
            into == nil || standby == nil,
            "--into and --standby exclude each other: the one captions beside others, the other for "
                + "them once they do not.")
        guard other != nil else {
            return try check(
                label == nil && host == nil && of == nil,
                "--as, --of and --host go with --into EVENT or --standby EVENT, which take captions "
                    + "into another host's event.")
        }
        guard let label = name else {
            throw ValidationError(
                "--into needs --as LABEL: what your captions are called beside the event's others.")
        }
        try check(
            !label.isEmpty && label.utf8.count <= Limits.labelBytes
                && label.contains { !$0.isWhitespace && SafeText.isSafe(String($0)) },
            "--as takes a name that can be seen, of at most \(Limits.labelBytes) bytes of UTF-8.")
        try check(
            admit.isEmpty,
            "--admit lets others into an event of yours; \(option) is another host's.")
        try check(
            revoke.isEmpty,
            "--revoke takes others' captions out of an event of yours; \(option) is another host's."
        )
        try check(
            host.map { HostAddress($0) != nil } ?? true,
            "--host takes ADDRESS or ADDRESS:PORT as the host shows it.")
    }

    /// A translation says of what and into which language, and is one log.
    ///
    /// - Parameters:
    ///   - lang: the language of what is said; nil where that is not told.
    ///   - isTranslated: whether it is translated here as well.
    func checkTranslation(lang: String?, isTranslated: Bool) throws {
        guard let of else { return }
        try check(
            standby == nil,
            "--of goes with --into: who stands by captions, and translates nothing.")
        try check(
            of.contains { !$0.isWhitespace },
            "--of takes the name of the log that is translated; floor is the host's own.")
        try check(
            of.lowercased() != label?.lowercased(),
            "--of and --as name the same log: a translation is one beside what it translates.")
        try check(
            lang != nil, "--of needs --lang, the language of your captions: readers choose by it.")
        try check(
            !isTranslated,
            "--of and --translate exclude each other: your captions are the translation.")
    }

    /// The event of another host that is captioned in; nil for an event of one's own.
    var other: String? { into ?? standby }
    /// What says so.
    var option: String { standby == nil ? "--into" : "--standby" }
    /// What the captions are called there.
    var name: String? { label ?? (standby == nil ? nil : "Standby") }

    /// Nobody is let in and put out by one command.
    func checkRevoked() throws {
        let both = refused.first { pin in
            admit.compactMap { FingerprintPin($0) }.contains { $0.isSame(as: pin) }
        }
        try check(
            both == nil,
            "--admit and --revoke name the same key, \(both?.groups ?? ""): is it let in, or not?")
    }

    /// Whose logs are let in no more.
    var refused: [FingerprintPin] { revoke.compactMap { FingerprintPin($0) } }

    /// Whose logs are let in.
    var admission: WriterAdmission {
        admit.contains("all") ? .everybody : .keys(admit.compactMap { FingerprintPin($0) })
    }
}
