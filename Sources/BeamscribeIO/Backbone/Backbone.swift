public import BeamscribeCore

/// A server that keeps logs, as a loop sees it: what it is asked, and what it says. Belongs to the loop's thread.
///
/// The module BeamscribeNATS has one that speaks with NATS servers.
public protocol Backbone: AnyObject {
    /// Told on the loop of what the server does, in its order. The server is there between `connected` and
    /// `disconnected`; it is looked for until nobody has this any more.
    var happened: (BackboneEvent) -> Void { get set }

    /// Asks it. Waits for nothing; what is asked while it is away is lost.
    func ask(_ requests: [BackboneRequest])

    /// Whether nothing is to be given of what is being read. The server waits, too.
    var isPaused: Bool { get set }
}
