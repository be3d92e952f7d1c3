/// The guests of a ``Room`` who serve its event to others, and what others are told of them: where to read
/// on, and whose pages for browsers phones are sent to.
///
/// Invariant: each of them is one of the room's guests and has said where it serves; those come first who
/// have said so first, but for turns that were taken.
public final class ServingGuests {
    /// Whose pages phones are sent to where this one is not heard any more.
    public var admission = PageAdmission.nobody {
        didSet { if admission != oldValue { isNews = true } }
    }

    private var guests: [RoomGuest] = []
    /// The page for browsers that goes with the event.
    private var page: (door: PageDoor, link: String?)?
    /// Whether there is something of which the room's guests were not told.
    private var isNews = false
    /// When they were told last.
    private var told: Duration?

    var count: Int { guests.count }

    // MARK: Who they are

    /// A guest says that it serves the event.
    ///
    /// - Returns: what the operator is to know; nothing where that is no news.
    func add(_ guest: RoomGuest, saying said: Peers) -> [HostEvent] {
        guard guest.serves(said), let peer = guest.serving else { return [] }
        isNews = true
        var news: [HostEvent] = []
        if !guests.contains(where: { $0 === guest }) {
            guests.append(guest)
            news.append(.guestServes(guest.description, at: peer.addresses))
        }
        if let origin = peer.origin {
            news.append(.pageServed(guest.description, at: origin, isAdmitted: isAdmitted(peer)))
        }
        return news
    }

    func remove(_ guest: RoomGuest) { guests.removeAll { $0 === guest } }

    // MARK: What others are told

    /// Whether all guests are to be told now: once something is news, and not too often. True once.
    func isTelling(now: Duration) -> Bool {
        guard isNews, told.map({ now - $0 >= Limits.peersInterval }) ?? true else { return false }
        (isNews, told) = (false, now)
        return true
    }

    /// Those who serve the event, besides this guest itself; nil where nobody does. Nobody's many
    /// connections take the places of others.
    func peers(besides guest: RoomGuest) -> Peers? {
        var peers = Peers(
            Fairness.inTurn(guests, by: \.source).prefix(Limits.nodes).filter { $0 !== guest }
                .compactMap(\.serving).map {
                    isAdmitted($0) ? $0 : $0.withoutPage
                })
        (peers.page, peers.link) = (page?.door.description, page?.link)
        return peers.peers.isEmpty && page == nil ? nil : peers
    }

    /// The same for one who is sent to them. Each of them in turn comes first, or one would get all: the
    /// next who asks is told of the next.
    func takeTurn(for guest: RoomGuest) -> Peers? {
        defer { if !guests.isEmpty { guests.append(guests.removeFirst()) } }
        return peers(besides: guest)
    }

    // MARK: Pages for browsers

    /// The event is to be had by browsers, too, at the machine that this is.
    ///
    /// - Parameter link: what the page's link carries, of an event with a code.
    public func open(page door: PageDoor, link: String?) { (page, isNews) = ((door, link), true) }

    /// Has phones sent to the pages of all addresses from where one is served now.
    public func admitKnownPages() {
        guard admission != .everybody else { return }
        var all: Set<String> = []
        if case .addresses(let known) = admission { all = known }
        let serving = guests.compactMap(\.serving).filter { $0.origin != nil }
        all.formUnion(serving.compactMap { $0.addresses.first.flatMap(PageAdmission.address) })
        admission = .addresses(all)
    }

    /// The pages of guests to which phones are sent.
    public var pages: [String] { origins { isAdmitted($0) } }

    /// The pages of guests to which they are not.
    public var strangePages: [String] { origins { !isAdmitted($0) } }

    private func isAdmitted(_ peer: Peers.Peer) -> Bool {
        peer.addresses.first.map { admission.admits($0) } ?? false
    }

    private func origins(where isWanted: (Peers.Peer) -> Bool) -> [String] {
        let all = guests.compactMap(\.serving).filter(isWanted).compactMap(\.origin)
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }.prefix(Limits.otherPages).map(\.self)
    }

    /// What is wrong, where these are the room's guests; nil where nothing is.
    func brokenInvariant(among here: [RoomGuest]) -> String? {
        for (index, guest) in guests.enumerated() {
            if guest.serving == nil { return "\(guest.id) is said to serve, and does not" }
            if !here.contains(where: { $0 === guest }) { return "\(guest.id) serves, and has gone" }
            if guests[..<index].contains(where: { $0 === guest }) {
                return "\(guest.id) is said to serve twice"
            }
        }
        return nil
    }
}
