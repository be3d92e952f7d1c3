import BeamscribeCore
import BeamscribeIO

/// A worker on the Avahi thread, seen from the loop of those for whom it works. Nothing here waits.
///
/// Invariant: nothing is told before ``open()`` or after ``close()``; between the two there is a
/// worker, or a timer for the next try to have one.
final class AvahiLink<Worker: AnyObject, News: Sendable> {
    /// Makes the worker, on its thread; what it is given tells the news.
    typealias Make = @Sendable (EventLoop, @escaping @Sendable (News) -> Void) -> Worker

    /// Told what the worker tells.
    var heard: ((News) -> Void)?
    /// Told that there can be no worker for now.
    var failed: ((SystemError) -> Void)?

    private let loop: EventLoop
    private let thread: AvahiThread
    private let make: Make
    private var mailbox: Mailbox<News>?
    private var registration: Registration?
    private var seat: AvahiSeat<Worker>?
    private var retry: LoopTimer?

    init(on loop: EventLoop, thread: AvahiThread = .shared, _ make: @escaping Make) {
        self.loop = loop
        self.thread = thread
        self.make = make
    }

    deinit {
        close()
    }

    func open() {
        close()
        do throws(SystemError) {
            let (mailbox, make) = (try Mailbox<News>(), make)
            registration = try mailbox.open(on: loop) { [weak self] in self?.take(from: mailbox) }
            self.mailbox = mailbox
            seat = try AvahiSeat(on: thread) { make($0) { mailbox.send($0) } }
        } catch {
            close()
            retry = loop.schedule(after: Limits.avahiRetry) { [weak self] in self?.open() }
            loop.schedule(after: .zero) { [weak self] in self?.failed?(error) }
        }
    }

    /// Has the worker do something, if there is one.
    func ask(_ body: @escaping @Sendable (Worker) -> Void) {
        seat?.perform(body)
    }

    func close() {
        retry?.cancel()
        registration?.cancel()
        seat?.leave()
        (registration, mailbox, seat) = (nil, nil, nil)
    }

    private func take(from mailbox: Mailbox<News>) {
        // Whoever is told may close this.
        while self.mailbox === mailbox, let news = mailbox.takeFirst() { heard?(news) }
    }
}
