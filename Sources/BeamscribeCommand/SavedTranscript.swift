import BeamscribeCore
import BeamscribeIO

/// The file of `--save`, written as the lines come.
actor SavedTranscript {
    private let file: OutputFile
    private var writer: EventWriter
    private var hasFailed = false

    init(_ path: String) throws {
        do throws(SystemError) {
            file = try OutputFile(creating: path)
        } catch {
            throw Failure(
                .cannotMakeFile, "\(error). Choose another name; nothing was changed.")
        }
        writer = EventWriter(TranscriptFormat(forFile: path))
    }

    /// Writes what `events` bring. A failure is told once, and the captions go on.
    func write(_ events: [GuestEvent]) {
        guard !hasFailed else { return }
        let lines = events.filter { event in
            if case .line = event { return true }
            if case .gap = event { return true }
            return false
        }
        do throws(SystemError) {
            try file.write(writer.text(for: lines))
        } catch {
            hasFailed = true
            say("warning: \(error). The file is incomplete from here on; the captions go on.")
        }
    }
}
