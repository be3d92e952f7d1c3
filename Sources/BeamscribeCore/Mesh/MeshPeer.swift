/// Another node of a mesh, for people.
public struct MeshPeer: Equatable, Sendable {
    /// Where it is.
    public enum State: String, Sendable {
        /// It is known, and there was no link to it yet.
        case discovered
        /// It is being dialled.
        case connecting
        /// There is a link, for less than the gate's time.
        case syncing
        /// The link has held for that.
        case stable
        /// The link that there was did not last: another try follows.
        case unstable
        /// The link that there was is gone: another try follows, for as long as this node runs.
        case lost
    }

    /// Its id, a lower-case UUID.
    public var node: String
    /// Its machine's name; empty before that is known.
    public var name: String
    /// Where it is.
    public var state: State

    /// A node in a state.
    public init(node: String, name: String, state: State) {
        (self.node, self.name, self.state) = (node, name, state)
    }

    /// Whether there is a link to it.
    public var isLinked: Bool { state == .syncing || state == .stable }
}
