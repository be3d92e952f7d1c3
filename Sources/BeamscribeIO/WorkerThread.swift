/// A ``Worker`` with a thread of its own, from the first time that it has something to do.
///
/// Invariant: `waiting` are those whose work was begun, or waits, and who were not told.
public final class WorkerThread: Worker {
    private let loop: EventLoop
    private var office: Office?
    private var waiting: [Int: (any Answer) -> Void] = [:]
    private var begun = 0

    /// The thread, and the way back from it.
    private struct Office {
        let thread: LoopThread
        let answers: Mailbox<(number: Int, answer: any Answer)>
        let registration: Registration
    }

    private typealias Answer = AnyObject & Sendable

    private final class AnswerOf<Result: Sendable>: Sendable {
        let result: Result

        init(_ result: Result) {
            self.result = result
        }
    }

    /// - Parameter loop: where is told what was done.
    public init(on loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        office?.registration.cancel()
    }

    public func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void
    ) throws(SystemError) {
        let office = if let office { office } else { try open() }
        begun += 1
        waiting[begun] = { if let answer = $0 as? AnswerOf<Result> { done(answer.result) } }
        office.thread.perform { [number = begun, answers = office.answers] in
            answers.send((number, AnswerOf(work())))
        }
    }

    private func open() throws(SystemError) -> Office {
        let answers = try Mailbox<(number: Int, answer: any Answer)>()
        let registration = try answers.open(on: loop) { [weak self] in
            // Whoever is told may let the worker go.
            while let (number, answer) = answers.takeFirst() {
                self?.waiting.removeValue(forKey: number)?(answer)
            }
        }
        let made = Office(
            thread: try LoopThread(), answers: answers, registration: registration)
        office = made
        return made
    }
}
