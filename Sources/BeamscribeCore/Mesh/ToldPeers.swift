/// Which nodes the other side of a link was told of: each again when it can be had elsewhere, and not too often,
/// for anybody can say where he is and that again and again.
struct ToldPeers {
    private var told: [Peers.Peer] = []
    private var at: Duration?

    /// What it is to be told now; nil for nothing.
    ///
    /// - Parameters:
    ///   - known: all that are known.
    ///   - node: the other side's id, who knows himself.
    mutating func news(of known: [Peers.Peer], besides node: String?, now: Duration) -> [Peers
        .Peer]?
    {
        guard at.map({ now - $0 >= Limits.peersInterval }) ?? true else { return nil }
        let others = known.filter { $0.node != node }
        guard others != told, !others.isEmpty else { return nil }
        (told, at) = (others, now)
        return others
    }
}
