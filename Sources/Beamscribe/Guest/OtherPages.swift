import BeamscribeCore
import BeamscribeIO

/// Other pages of the event, which the readers of this one are told of. Browsers believe the page that
/// they read, so that the host alone says which there are.
struct OtherPages {
    /// Scheme, address and port of each.
    private(set) var origins: [String] = []
    /// What the link of the host's page carries, of an event with a code.
    private(set) var link: String?

    /// - Parameters:
    ///   - host: where that is, if it says this.
    ///   - node: this machine.
    mutating func hear(of peers: Peers, from host: Endpoint?, besides node: String?) {
        let said = peers.origins(at: host?.description, besides: node)
        // Who holds the event for its host says nothing of pages, which are there all the same.
        if !said.isEmpty { origins = said }
        if let link = peers.link, link.utf8.count <= Limits.labelBytes { self.link = link }
    }
}
