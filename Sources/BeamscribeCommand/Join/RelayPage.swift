import Beamscribe
import BeamscribeCore
import Logging

/// The page for browsers of a machine that serves an event for its host.
///
/// Invariant: there is a page from the moment at which there is something to serve, or `failure` says
/// why not.
struct RelayPage {
    private let page: Visit.Page
    private let guest: Guest
    private let hasCode: Bool
    private let logger: Logger
    private var service: PageService?
    /// Why there is none.
    private(set) var failure: Failure?

    /// - Parameter hasCode: whether only who has the event's link may read.
    init(_ page: Visit.Page, of guest: Guest, hasCode: Bool, _ logger: Logger) {
        (self.page, self.guest, self.hasCode, self.logger) = (page, guest, hasCode, logger)
    }

    /// There is something to be read here.
    mutating func begin() async {
        guard service == nil, failure == nil, let feed = await guest.feed else { return }
        do {
            // The link of the host's page opens this one: a phone that comes from there has that.
            service = try await PageService.begin(
                page.options, for: feed, at: nil, link: await feed.linkOfHost, hasCode: hasCode)
        } catch {
            failure = error as? Failure ?? Failure(.system, "\(error).")
            return
        }
        guard let service else { return }
        var reporter = PageReporter(service, page.format, logger: logger)
        reporter.tell()
    }

    /// Ends the page once phones have the rest.
    func end() async { await service?.stop() }
}
