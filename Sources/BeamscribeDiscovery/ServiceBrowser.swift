/// Looks for the services of one type. Belongs to its loop's thread.
public protocol ServiceBrowser: AnyObject {
    /// Told of everything that happens, on the loop.
    var handler: ((ServiceBrowserEvent) -> Void)? { get set }
    func start()
    func stop()
    /// Asks the network anew, past every cache: for a user who waits, and after a failure.
    func refresh()
}

/// What a browser tells.
public enum ServiceBrowserEvent: Equatable, Sendable {
    /// The services there are now.
    case changed([ServiceInstance])
    /// Everybody who was there from the start has been heard.
    case settled
    /// Nothing can be found for now, with the reason; the browser goes on trying.
    case unavailable(String)
    /// It can again.
    case available
}
