import BeamscribeIO

/// The signals that the program gets, as sequences, and what else asks it to end.
actor Signals {
    /// The signals that ask the program to end. One that came before somebody listens counts.
    nonisolated let ending = Broadcast<SignalSource.Signal>(repeatsLast: true)
    /// The signals that ask for a report.
    nonisolated let reportRequests = Broadcast<SignalSource.Signal>()
    /// The signals that ask for a talk to begin, or to end.
    nonisolated let talkRequests = Broadcast<SignalSource.Signal>()
    /// The signals that say that the terminal is another now.
    nonisolated let terminalChanges = Broadcast<SignalSource.Signal>()

    private nonisolated let thread: LoopThread
    private var source: SignalSource?
    private var readerWatch: ReaderWatch?
    /// What a write to standard output fails with, since its reader has gone.
    private(set) var outputFailure: SystemError?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(on thread: LoopThread) {
        self.thread = thread
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    func start() throws(SystemError) {
        let (endings, changes) = (ending, terminalChanges)
        let (reports, talks) = (reportRequests, talkRequests)
        source = try SignalSource(SignalSource.Signal.allCases, on: thread.loop) { signal in
            switch signal {
            case .interrupt, .terminate, .hangUp: endings.send(signal)
            case .windowChanged, .continued: changes.send(signal)
            case .userOne: reports.send(signal)
            case .userTwo: talks.send(signal)
            }
        }
    }

    /// Takes it for a hang-up when nobody reads standard output any more. Whoever writes now and
    /// then would notice with the next line only, and that may never come.
    func endWithReader() {
        readerWatch = ReaderWatch(of: Terminal.Stream.output.rawValue, on: thread.loop) {
            [unowned self] error in
            outputFailure = error
            ending.send(.hangUp)
        }
    }
}
