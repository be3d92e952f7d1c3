import BeamscribeCore
import BeamscribeTerminal

/// The other nodes of a mesh, as a table.
struct PeerRows {
    let peers: [MeshPeer]

    /// What can be typed here and nowhere else.
    static let help = [
        "/to NAME words       for one alone, by the machine's name or that of the captions",
        "/except NAME words   for all others who are here; // begins a line with a slash",
    ]

    /// A heading, and a row for each.
    var rows: [String] {
        ["STATE        MACHINE"]
            + peers.map { CharacterWidths.common.padded($0.state.rawValue, to: 13) + name(of: $0) }
    }

    private func name(of peer: MeshPeer) -> String {
        peer.name.isEmpty ? "node \(peer.node.prefix(8))" : peer.name
    }
}
