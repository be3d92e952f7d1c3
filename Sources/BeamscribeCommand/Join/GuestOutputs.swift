import BeamscribeCore

/// What a guest's captions go to beside the terminal or standard output, and what of them its
/// reader is shown.
struct GuestOutputs: Sendable {
    let saved: SavedTranscript?
    let sign: SignFile?
    let command: LineCommand?
    let choice: CaptionChoice
    let notices: Notices

    /// The last line that the file of `--save` has; nil for none, or a new one.
    var lastLine: Int? {
        get async { await saved?.lastLine }
    }

    /// Passes on what `events` bring. A file that is saved has the words that were said, everything
    /// else those that the reader wants to see.
    ///
    /// - Returns: what the reader is to be shown of it.
    /// - Throws: ``Failure`` where one of the outputs cannot go on with this event.
    @discardableResult
    func write(_ events: [GuestEvent]) async throws -> [GuestEvent] {
        let wanted = choice.wanted(events)
        try await saved?.write(wanted)
        let shown = choice.shown(wanted)
        sign?.take(shown)
        command?.take(shown)
        return shown + notices.take()
    }

    /// The guest is done.
    func finish(_ outcome: GuestOutcome?) async {
        await saved?.finish(outcome)
    }

    /// The program ends, whatever the reason.
    func close() async {
        await sign?.close()
        await command?.close()
        notices.close()
    }
}
