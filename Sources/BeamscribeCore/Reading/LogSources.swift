/// By which links a log can be had, and by which of them it is read.
///
///     told of by a link -> read by it ---- short of what another has told of ----> read by that one
///                              '---- the link is gone ----> read by whoever has told of the newest
///
/// Two who hold a log may each wait for the other's lines of it, while its writer brings them to one of
/// them: so who is short of a head for ``patience`` goes over to who has told of it. Of several, one of whom
/// may keep lines back, each has his turn.
///
/// Invariant: the log is read by at most one link, and each link has told of one head, its newest.
struct LogSources {
    /// A link's word on how the log stands, as its writer has signed it.
    struct Offer {
        let link: Shelf.Link
        let head: LogHead
        let payload: [UInt8]
        /// Since when it waits for its turn.
        fileprivate var since: Duration
        /// When it was heard last.
        fileprivate(set) var heard: Duration
    }

    /// For how long nothing may come in of what another link has told of.
    static let patience = Duration.seconds(1)

    /// By whom it is read; nil for nobody.
    var link: Shelf.Link? { current?.link }

    private var current: Offer?
    /// The others, in the order of their turns.
    private var others: [Offer] = []

    /// A link has said how the log stands, and its writer has signed that.
    mutating func note(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Shelf.Link, now: Duration,
        isShort: (LogHead) -> Bool
    ) {
        var offer = Offer(
            link: link, head: head, payload: Array(payload), since: now, heard: now)
        if link == current?.link {
            current = offer
        } else if let index = others.firstIndex(where: { $0.link == link }) {
            let old = others[index]
            guard !old.head.isNewer(than: head) else { return }
            // Who tells of more and more is still waited for since the first of it.
            if isShort(old.head) { offer.since = old.since }
            others[index] = offer
        } else {
            others.append(offer)
        }
    }

    /// It is read by this link from now on.
    mutating func read(
        by link: Shelf.Link, at head: LogHead, as payload: UnsafeRawBufferPointer, now: Duration
    ) {
        others.removeAll { $0.link == link }
        for index in others.indices { others[index].since = now }
        if var old = current, old.link != link {
            old.since = now
            others.append(old)
        }
        current = Offer(link: link, head: head, payload: Array(payload), since: now, heard: now)
    }

    /// Whose turn it is, where what is here falls short of what he has told of.
    ///
    /// - Parameter progressed: when the last of it came in.
    func due(progressed: Duration, now: Duration, isShort: (LogHead) -> Bool) -> Offer? {
        guard current != nil else { return newest }
        return others.first { offer in
            isShort(offer.head) && now - max(offer.since, progressed) >= Self.patience
        }
    }

    /// What a link has told of; nil for nothing.
    func offer(of link: Shelf.Link) -> Offer? {
        current?.link == link ? current : others.first { $0.link == link }
    }

    private var newest: Offer? {
        others.reduce(nil) { best, offer in
            best.map { offer.head.isNewer(than: $0.head) } == false ? best : offer
        }
    }

    /// A link is gone, or what it said is worth nothing.
    mutating func remove(_ link: Shelf.Link) {
        if current?.link == link { current = nil }
        others.removeAll { $0.link == link }
    }

    /// Nothing of it is wanted any more.
    mutating func removeAll() { (current, others) = (nil, []) }
}
