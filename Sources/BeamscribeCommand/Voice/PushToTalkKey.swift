import Beamscribe
import BeamscribeCore
import BeamscribeIO

/// The key of `--ptt-key`, as a sequence of whether it is down.
actor PushToTalkKey {
    /// Which key of which device.
    struct Choice: Equatable {
        /// The device's path.
        let path: String
        /// The key's number.
        let code: UInt16

        private static let folder = "/dev/input/"

        /// - Parameter text: `DEVICE:KEY`; a device has colons, too. Nil where it is something else.
        init?(_ text: String) {
            guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
                let code = VoiceLibraries.keyCode(String(text[text.index(after: colon)...]))
            else { return nil }
            let device = String(text[..<colon])
            let isPath = device.hasPrefix("/") || device.hasPrefix(".")
            (path, self.code) = (isPath ? device : Self.folder + device, code)
        }
    }

    nonisolated let presses = Broadcast<Bool>()
    private nonisolated let thread: LoopThread
    private var key: InputKey?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - choice: nil for none.
    ///   - tell: told what becomes of its device.
    init(
        _ choice: Choice?, on thread: LoopThread,
        _ tell: @escaping @Sendable (InputKey.News) -> Void
    ) async {
        self.thread = thread
        if let choice { open(choice, tell) }
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Nobody presses it any more.
    func close() { key = nil }

    private func open(_ choice: Choice, _ tell: @escaping @Sendable (InputKey.News) -> Void) {
        key = InputKey(choice.code, of: choice.path, on: thread.loop) { [presses] news in
            if case .pressed(let isDown) = news { presses.send(isDown) } else { tell(news) }
        }
    }
}
