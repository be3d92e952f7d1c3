import BeamscribeCore

/// What a guest's captions go to beside the terminal or standard output.
struct GuestOutputs: Sendable {
    private let saved: SavedTranscript?

    init(saved: SavedTranscript?) {
        self.saved = saved
    }

    /// The last line that the file of `--save` has; nil for none, or a new one.
    var lastLine: Int? {
        get async { await saved?.lastLine }
    }

    /// Passes on what `events` bring.
    ///
    /// - Throws: ``Failure`` where one of the outputs cannot go on with this event.
    func write(_ events: [GuestEvent]) async throws {
        try await saved?.write(events)
    }

    /// The guest is done.
    func finish(_ outcome: GuestOutcome?) async {
        await saved?.finish(outcome)
    }
}
