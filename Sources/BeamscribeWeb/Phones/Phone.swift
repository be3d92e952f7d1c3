import Beamscribe

/// A browser that reads.
struct Phone {
    let lane: StreamLane
    var position: FeedPlace
    /// The newest beat that it heard.
    var beat: Int
    /// Whether it has everything, and nothing follows.
    var isOver = false
    /// Its task, which waits for something new.
    var waiter: CheckedContinuation<Void, Never>?

    mutating func wake() {
        waiter?.resume()
        waiter = nil
    }
}
