public import Beamscribe
import BeamscribeCore
public import BeamscribeIO

/// How the page of an event is served.
public struct WebConfiguration: Sendable {
    /// The address to listen at; nil for all.
    public var address: IPAddress?
    public var port = PortChoice.standard
    /// What a link must carry for its reader to be let in; nil where everybody may read.
    public var token: LinkToken?
    /// The files of a certificate and its key, in PEM, to serve HTTPS; nil for plain HTTP.
    public var certificate: Certificate?
    /// The names by which browsers may ask for the page, besides addresses, this machine's own name
    /// and those of the certificate.
    public var names: [String] = []
    /// The addresses of the proxies whose word counts on where a browser is.
    public var proxies: [IPAddress] = []
    /// Answer `/metrics` to the whole network, not to this machine alone.
    public var sharesMetrics = false
    /// Let browsers hear the floor without HTTPS, too: as whoever listens on the network can then, as he can read the captions.
    public var offersPlainFloor = false
    /// Browsers that read at once.
    public var maximumPhones = Limits.phones
    /// How long a browser's connection may be idle, or take to say what it wants.
    public var idle = Limits.webIdle
    /// How long an end waits for browsers to take the rest.
    public var farewell = Limits.webFarewell

    /// Where a server's certificate is.
    public struct Certificate: Equatable, Sendable {
        /// The file of the certificate, and of those that vouch for it.
        public var chain: String
        /// The file of its private key.
        public var key: String

        /// A certificate in two files.
        public init(chain: String, key: String) {
            self.chain = chain
            self.key = key
        }
    }

    /// The usual port of a web server that is not the machine's own.
    public static let standardNumber: UInt16 = 8_080

    public init() {}
}
