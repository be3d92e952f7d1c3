import BeamscribeCore
import BeamscribeIO
import Synchronization

/// The file of `--obs`: the newest rows, for programs that show a file's text.
///
/// Invariant: whoever reads the file finds what was shown at one moment, whole, or nothing; it is
/// written at most ten times a second, the newest text always in the end.
final class SignFile: Sendable {
    private struct State {
        var board: CaptionBoard
        /// What is to be in the file.
        var text = ""
        /// What is in it.
        var written = ""
        var work: Task<Void, Never>?
        var hasFailed = false
    }

    private let path: String
    private let tell: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Signs have a few rows; a larger file is somebody's work.
    private static let largest = 65_536
    private static let pause: Duration = .milliseconds(100)

    /// Makes the file, or empties it.
    ///
    /// - Parameter tell: takes warnings.
    /// - Throws: ``Failure`` where that is not possible, or the file seems to be something else.
    init(
        _ path: String, showing board: CaptionBoard, tell: @escaping @Sendable (String) -> Void
    ) throws {
        self.path = path
        self.tell = tell
        state = Mutex(State(board: board))
        do throws(SystemError) {
            guard try OutputFile.mayBeReplaced(path, largest: Self.largest) else {
                throw SystemError.fileExists("use as the file of --obs", path)
            }
            try write("")
        } catch {
            throw Failure(
                .cannotMakeFile,
                "\(error). --obs replaces a small text file again and again: choose the name of a new "
                    + "one, in a folder that you can write to.")
        }
    }

    /// Shows what `events` bring.
    func take(_ events: [GuestEvent]) {
        state.withLock { state in
            events.forEach { state.board.take($0) }
            show(state.board.text, &state)
        }
    }

    /// Empties the file: a caption that stays on a screen would seem to be said now.
    func close() async {
        let work = state.withLock { state in
            show("", &state)
            return state.work
        }
        await work?.value
    }

    private func show(_ text: String, _ state: inout State) {
        state.text = text
        guard text != state.written, state.work == nil else { return }
        state.work = Task { await work() }
    }

    private func work() async {
        while let text = next() {
            do throws(SystemError) {
                try write(text)
            } catch {
                failed(error)
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func next() -> String? {
        state.withLock { state in
            guard state.text != state.written else {
                state.work = nil
                return nil
            }
            state.written = state.text
            return state.text
        }
    }

    private func write(_ text: String) throws(SystemError) {
        try SmallFile.replace(path, with: Array(text.utf8), durably: false, isPrivate: false)
    }

    private func failed(_ error: SystemError) {
        let isFirst = state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
        if isFirst {
            tell(
                "\(error). The captions go on, and the file of --obs is tried again with the next "
                    + "change.")
        }
    }
}
