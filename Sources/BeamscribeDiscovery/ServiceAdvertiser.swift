/// Announces a service. Belongs to its loop's thread.
public protocol ServiceAdvertiser: AnyObject {
    /// Told of everything that happens, on the loop.
    var handler: ((ServiceAdvertiserEvent) -> Void)? { get set }
    func start()
    /// Takes the announcement back.
    func stop()
}

/// What an advertiser tells.
public enum ServiceAdvertiserEvent: Equatable, Sendable {
    /// The service can be found under this name.
    case registered(name: String)
    /// It cannot be found for now, with the reason; the advertiser goes on trying.
    case unavailable(String)
}
