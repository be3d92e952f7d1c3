import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What the page proves itself with to browsers.
struct PageCertificate: Sendable {
    private let files: WebConfiguration.Certificate
    private let chain: CertificateChain
    private let key: HostKey

    /// Reads the two files, and sees that they go together.
    init(_ files: WebConfiguration.Certificate) throws(WebError) {
        self.files = files
        guard let chain = CertificateChain(pem: try Self.read(files.chain)) else {
            throw .badCertificate("\(files.chain) holds no certificate in PEM")
        }
        self.chain = chain
        let pem = try Self.read(files.key)
        do throws(TLSError) {
            key = try HostKey(pem: pem)
        } catch {
            throw .badCertificate("\(files.key) holds no private key that can be used: \(error)")
        }
        _ = try context()
    }

    /// The names that it is for: browsers find out that they lead here.
    var names: [String] { chain.names }

    /// What all connections of the page share.
    func context() throws(WebError) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext(chain, key)
        } catch {
            throw .badCertificate("\(files.chain) and \(files.key): \(error)")
        }
    }

    private static func read(_ path: String) throws(WebError) -> [UInt8] {
        do throws(SystemError) {
            return try SmallFile.read(path)
        } catch {
            throw .badCertificate("\(error)")
        }
    }
}
