import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials

/// The terminal that the program talks with: its keys and its size.
actor Console {
    /// Keys as they are pressed. Somebody in a hurry presses them before there is anything to see.
    nonisolated let keys = Broadcast<Key>(keepsUnheard: true)
    /// The widths of characters on it.
    nonisolated let counting = TerminalCounting()

    private nonisolated let thread: LoopThread
    /// The terminal's path; nil for standard input.
    private let path: String?
    private var source: ByteSource?
    private var decoder = KeyDecoder()
    private var mode: KeyMode?
    private var loneEscape: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// - Parameter path: a terminal that its owner has put into a mode for keys; nil for standard
    ///   input.
    init(on thread: LoopThread, reading path: String? = nil) {
        self.thread = thread
        self.path = path
    }

    /// Begins to read keys, where standard input is the terminal.
    func start() {
        guard path != nil || Terminal.isTerminal(.input) else { return }
        if path == nil { mode = KeyMode() }
        source = try? ByteSource(path: path, size: 256, on: thread.loop) { [unowned self] bytes in
            pressed(Array(bytes))
            return bytes.count
        } ended: { _ in
        }
    }

    /// Whether keys can come.
    var hasKeys: Bool { source != nil }

    func stop() async {
        if source != nil { await counting.settle() }
        source = nil
        loneEscape?.cancel()
        mode = nil
    }

    /// A shell had the terminal in between.
    func resume() {
        mode?.apply()
    }

    private func pressed(_ bytes: [UInt8]) {
        loneEscape?.cancel()
        counting.take(decoder.feed(bytes)).forEach { keys.send($0) }
        guard decoder.isWaiting else { return }
        loneEscape = thread.loop.schedule(after: .milliseconds(50)) { [unowned self] in
            decoder.timeout().forEach { keys.send($0) }
        }
    }

    /// The way in which tables are aligned on the terminal.
    static var alignment: TableAlignment {
        ProcessInfo.processInfo.environment["TERM"] == "dumb" ? .blanks : .terminal
    }

    /// Colour unless the user does not want it (https://no-color.org).
    static var style: TerminalStyle {
        let environment = ProcessInfo.processInfo.environment
        let refusal = environment["NO_COLOR"] ?? ""
        return TerminalStyle(colour: refusal.isEmpty && environment["TERM"] != "dumb")
    }
}

extension TerminalSize {
    /// The size of the terminal that a stream is. What is written there stays as it is, so that no
    /// terminal is asked how it counts.
    init(of stream: Terminal.Stream) {
        let size = Terminal.size(of: stream)
        self.init(columns: size?.columns ?? 80, rows: size?.rows ?? 24, widths: .largest)
    }
}
