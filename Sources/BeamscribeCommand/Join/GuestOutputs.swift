import BeamscribeCore

/// What a guest's captions go to beside the terminal or standard output, and what of them its
/// reader is shown.
struct GuestOutputs: Sendable {
    let saved: SavedTranscript?
    let sign: SignFile?
    let command: LineCommand?
    let choice: CaptionChoice
    let notices: Notices

    /// What the file of `--save` has of an earlier guest; nil for none.
    var resume: Handshake.Resume? {
        get async { await saved?.resume }
    }

    /// Passes on what `events` bring. A file that is saved has the words that were said, everything
    /// else those that the reader wants to see.
    ///
    /// - Returns: what the reader is to be shown of it.
    @discardableResult
    func write(_ events: [GuestEvent]) async -> [GuestEvent] {
        let wanted = choice.wanted(events)
        await saved?.write(wanted)
        let shown = choice.shown(wanted)
        sign?.take(shown)
        command?.take(shown)
        return shown + notices.take()
    }

    /// The guest is done; its reader may still be there.
    func finish(_ outcome: GuestOutcome?) async {
        await saved?.finish(outcome)
        await sign?.close()
    }

    /// The program ends, whatever the reason.
    ///
    /// - Returns: what is to be said of a file that lacks lines.
    func close() async -> Failure? {
        await sign?.close()
        await command?.close()
        let failure = await saved?.close()
        notices.close()
        return failure
    }
}
