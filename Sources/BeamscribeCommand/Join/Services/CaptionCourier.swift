import BeamscribeCore
import BeamscribeIO
import Synchronization

/// Brings finished lines to a caption service, beside the captions and never in their way.
///
/// Invariant: at most one post is under way; what is kept of the position says so before it is sent,
/// and that it was taken before the next one is.
final class CaptionCourier: Sendable {
    private struct State {
        var delivery: CaptionDelivery
        var work: Task<Void, Never>?
        /// The program does not wait any longer.
        var isOver = false
    }

    let description: ServiceDescription
    /// How far an earlier run has come.
    let earlier: Handshake.Resume?
    private let worker: CaptionWorker
    private let record: ServiceRecord
    private let tell: @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    private let state: Mutex<State>

    /// How long is slept at once: the end of the program may come meanwhile.
    private static let nap: Duration = .milliseconds(20)

    /// Nil where there is no such service to be had on this machine.
    ///
    /// - Parameters:
    ///   - make: makes what speaks with the service.
    ///   - tell: takes what is to be said.
    init?(
        _ description: ServiceDescription, _ make: @Sendable () -> (any CaptionService)?,
        keeping record: ServiceRecord,
        tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    ) throws(SystemError) {
        guard let worker = try CaptionWorker(make) else { return nil }
        self.worker = worker
        self.description = description
        self.record = record
        self.tell = tell
        let position = record.read()
        earlier = position?.resume
        state = Mutex(State(delivery: CaptionDelivery(description.rules, after: position)))
        tell("The captions also go to \(description.title).", false)
    }

    /// Queues what `events` bring.
    func take(_ events: [GuestEvent]) {
        let isLate = state.withLock { state in
            let isLate = state.delivery.take(events)
            if state.work == nil { state.work = Task { await work() } }
            return isLate
        }
        // Where an event is joined says what is old, for another run as well.
        keepPosition()
        if isLate {
            tell(
                "\(description.title) takes the captions slower than they come, or not at all; of "
                    + "what waits for it only the newest \(Limits.unsentCaptions) lines are kept.",
                true)
        }
    }

    /// Waits for what waits, but not long.
    ///
    /// - Returns: what is to be said of lines that were not taken.
    func close() async -> Failure? {
        let end = Clock.uptime + Limits.lastCommands
        state.withLock { $0.delivery.end() }
        // What is under way may take longer than anybody waits.
        while state.withLock({ $0.work != nil }), Clock.uptime < end {
            try? await Task.sleep(for: Self.nap)
        }
        state.withLock { $0.isOver = true }
        return failure
    }

    private var failure: Failure? {
        let (left, trouble) = state.withLock { state in
            (state.delivery.left + state.delivery.dropped, state.delivery.trouble)
        }
        guard left > 0 else { return nil }
        return Failure(
            .inputOutput,
            "\(description.title) has not taken \(plural(left, "line")): "
                + "\(trouble ?? "there was no time left").")
    }

    // MARK: Sending

    private func work() async {
        while true {
            switch next() {
            case .rest: return
            case .wait(let duration): try? await Task.sleep(for: min(duration, Self.nap))
            case .ask:
                let number = await worker.lastNumber()
                note { $0.told(number, Clock.uptime) }
            case .send(let post):
                let answer = await worker.send(post)
                note { $0.finish(answer, Clock.uptime) }
            }
        }
    }

    private func next() -> CaptionDelivery.Step {
        let step = state.withLock { state in
            let step = state.isOver ? .rest : state.delivery.next(Clock.uptime)
            if step == .rest { state.work = nil }
            return step
        }
        // Whoever kills the program now leaves behind what may have been taken.
        if case .send = step { keepPosition() }
        return step
    }

    private func note(_ change: (inout CaptionDelivery) -> CaptionDelivery.News?) {
        let news = state.withLock { change(&$0.delivery) }
        keepPosition()
        switch news {
        case .trouble(let why):
            tell(
                "\(description.title) does not take the captions: \(why). They go on here; those "
                    + "for it wait, and are sent when that works again.", true)
        case .unwanted(let why):
            tell(
                "\(description.title) does not want the captions: \(why). They go on here, and are "
                    + "not sent again.", true)
        case .recovered: tell("\(description.title) takes the captions again.", false)
        case nil: break
        }
    }

    private func keepPosition() {
        record.write {
            state.withLock { $0.delivery.position }
        } failed: { error in
            tell(
                "\(error). If this program is started again, \(description.name) may miss lines, or "
                    + "get some twice.", true)
        }
    }
}

/// The thread on which a service is waited for: none of those that carry captions.
private actor CaptionWorker {
    private nonisolated let thread: LoopThread
    private let service: any CaptionService

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init?(_ make: @Sendable () -> (any CaptionService)?) throws(SystemError) {
        guard let service = make() else { return nil }
        thread = try LoopThread()
        self.service = service
    }

    func lastNumber() -> Int? { service.lastNumber() }

    func send(_ post: CaptionPost) -> CaptionDelivery.Answer { service.send(post) }
}
