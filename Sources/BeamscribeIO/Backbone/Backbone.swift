public import BeamscribeCore

/// A server that keeps logs, as a loop sees it: what it is asked, and what it says. Belongs to the loop's thread.
///
/// The module BeamscribeNATS has one that speaks with NATS servers.
public protocol Backbone: AnyObject {
    /// Begins to look for the server. To be called once.
    ///
    /// - Parameter happened: told on the loop of what the server does, in its order. It is there between
    ///   `connected` and `disconnected`, and looked for until this is closed, or nobody has it any more.
    func begin(_ happened: @escaping (BackboneEvent) -> Void)

    /// Tells nothing any more.
    func close()

    /// Asks it. Waits for nothing; what is asked while it is away is lost.
    func ask(_ requests: [BackboneRequest])

    /// Whether nothing is to be given of what is being read. The server waits, too.
    var isPaused: Bool { get set }
}
