import BeamscribeCore
import BeamscribeIO

/// What browsers read of an event: its main log, those of its other logs that somebody asks for, and what
/// is read together.
///
/// Invariant: `others` are of logs that are on the shelf, or were when there was news last; so are those
/// of `together`, each of which begins with the main log.
final class EventFeed {
    /// The main log.
    let main: PageFeed
    private let shelf: Shelf?
    private let loop: any Loop
    private var others: [String: PageFeed] = [:]
    private var together: [FeedSelection: PageFeed] = [:]

    init(_ log: EventLog, others shelf: Shelf?, on loop: any Loop) {
        (main, self.shelf, self.loop) = (PageFeed(log, on: loop), shelf, loop)
    }

    /// How many readers there are of all logs; nil where nobody gives them anything.
    var readers: Int? {
        main.readers.map { readers in
            (Array(others.values) + Array(together.values)).reduce(readers) {
                $0 + ($1.readers ?? 0)
            }
        }
    }

    /// The main log is this from now on, as of a host that was started anew.
    func serve(_ log: EventLog) {
        main.serve(log)
        for (selection, page) in together { page.serve(logs(of: selection, behind: page)) }
    }

    /// Something may be new, and what was published is stored.
    func changed() {
        main.changed()
        for (session, page) in others {
            if let log = shelf?.log(of: session) {
                page.serve(log)
                page.changed()
                if let lastWord = main.log.lastWord { page.end(saying: lastWord) }
            } else {
                page.end()
                others[session] = nil
            }
        }
        for (selection, page) in together {
            page.serve(logs(of: selection, behind: page))
            page.changed()
        }
    }

    /// The main log and the others that are meant, in the order in which they came.
    private func logs(of selection: FeedSelection, behind page: PageFeed? = nil) -> FeedLogs {
        let wanted = titles.filter(selection.includes).map(FeedLog.init)
        let known = page?.logs.others?.map(\.title) ?? []
        let stayed = known.filter { old in wanted.contains { $0.session == old.session } }
        let new = wanted.filter { title in !known.contains { $0.session == title.session } }
        return FeedLogs(
            main: main.log,
            others: (stayed + new).compactMap { title in
                shelf?.log(of: title.session).map { FeedLogs.Other(log: $0, title: title) }
            })
    }

    /// What is to be read of the main log and these together.
    func page(of selection: FeedSelection) -> PageFeed {
        if let page = together[selection] { return page }
        let page = PageFeed(logs(of: selection), on: loop)
        together[selection] = page
        return page
    }

    /// Nobody reads there any more.
    func letGo(_ page: PageFeed) {
        page.close()
        together = together.filter { $1 !== page }
    }

    /// The event's other logs that there is something of.
    var titles: [LogTitle] { shelf?.titles ?? [] }

    /// The first of the other logs with this id, or else this name, and what is to be read of it; nil
    /// where there is none.
    func other(named name: String) -> (log: LogTitle, page: PageFeed)? {
        let titles = titles
        guard
            let title = titles.first(where: { $0.session == name })
                ?? titles.first(where: { $0.label == name }),
            let log = shelf?.log(of: title.session)
        else { return nil }
        if let page = others[title.session] { return (title, page) }
        let page = PageFeed(log, on: loop)
        others[title.session] = page
        if let lastWord = main.log.lastWord { page.end(saying: lastWord) }
        return (title, page)
    }

    /// How the writer of another log stands; nil for a log that is none.
    func standing(of session: String) -> (trouble: InputTrouble?, unheardFor: Duration?)? {
        shelf?.standing(of: session, now: loop.uptime)
    }
}
