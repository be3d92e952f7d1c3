import BeamscribeCore
import BeamscribeIO

/// What `--tee` copies to standard output, and what became of that. Whatever does, the event goes on.
///
/// Invariant: what was copied are the first finals, all up to the first that could not be.
struct FinalsCopy {
    /// Where they all are, if anywhere.
    let session: String?
    private var isWanted: Bool
    private var trouble: SystemError?
    private var missing = 0

    init(session: String?, isWanted: Bool) {
        (self.session, self.isWanted) = (session, isWanted)
    }

    /// A reader that has gone has what it wanted; whatever else ends the copying is told at once.
    mutating func write(_ captions: [Caption]) {
        guard isWanted else { return }
        guard trouble == nil else { return missing += captions.count }
        let text = captions.map { caption in
            (caption.speaker.map { "\($0): " } ?? "") + caption.text + "\n"
        }
        do throws(SystemError) {
            try TerminalOwner.write(text.joined(), to: .output)
        } catch {
            guard !error.isBrokenPipe else { return isWanted = false }
            (trouble, missing) = (error, captions.count)
            say("warning: \(error). --tee copies nothing more; the event goes on.")
        }
    }

    /// Why the copy is not whole.
    var failure: Failure? {
        guard let trouble else { return nil }
        let whole = session.map { "; `beamscribe export \($0)` has them all" } ?? ""
        return Failure(
            .inputOutput,
            "the copy of --tee lacks its last \(plural(missing, "line")): \(trouble)\(whole).")
    }
}
