import BeamscribeCore
import BeamscribeIO

/// What browsers read of an event: its main log, and those of its other logs that somebody asks for.
///
/// Invariant: `others` are of logs that are on the shelf, or were when there was news last.
final class EventFeed {
    /// The main log.
    let main: PageFeed
    private let shelf: Shelf?
    private let loop: any Loop
    private var others: [String: PageFeed] = [:]

    init(_ log: EventLog, others shelf: Shelf?, on loop: any Loop) {
        (main, self.shelf, self.loop) = (PageFeed(log, on: loop), shelf, loop)
    }

    /// How many readers there are of all logs; nil where nobody gives them anything.
    var readers: Int? {
        main.readers.map { others.values.reduce($0) { $0 + ($1.readers ?? 0) } }
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
