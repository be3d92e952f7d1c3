public import Testing

/// A self-signed certificate and its key in files, made by OpenSSL's tool.
public struct Certificate: Sendable {
    public let folder: TemporaryFolder
    public let fingerprint: String

    /// As `openssl s_server` takes them.
    public var options: [String] {
        ["-cert", folder.path(of: "certificate.pem"), "-key", folder.path(of: "key.pem")]
    }

    /// What kind of certificate.
    public struct Kind: Sendable, CustomTestStringConvertible {
        public var testDescription: String
        var algorithm: String
        var option: String
        var name: String
        var from: String
        var until: String
        /// Of which hosts, as OpenSSL writes them.
        var hosts: String

        public init(
            testDescription: String, algorithm: String = "EC",
            option: String = "ec_paramgen_curve:P-256", name: String = "beamscribe",
            from: String = "20000101000000Z", until: String = "20991231235959Z",
            hosts: String = "DNS:beamscribe"
        ) {
            self.testDescription = testDescription
            self.algorithm = algorithm
            self.option = option
            self.name = name
            self.from = from
            self.until = until
            self.hosts = hosts
        }
    }

    /// `openssl ca` is the tool that takes any dates.
    private static let settings = """
        [ca]
        default_ca = settings
        [settings]
        database = database
        serial = serial
        new_certs_dir = .
        default_md = sha256
        policy = policy
        copy_extensions = copy
        [policy]
        commonName = optional
        """

    private static let script = """
        : >database; echo 01 >serial
        openssl req -new -key key.pem -subj "/CN=$1" -addext "subjectAltName=$4" \
            -out request.pem
        openssl ca -batch -notext -config settings -selfsign -keyfile key.pem -in request.pem \
            -startdate "$2" -enddate "$3" -out certificate.pem
        """

    public static func make(_ kind: Kind) async throws -> Certificate {
        let folder = try TemporaryFolder()
        let key =
            kind.option.isEmpty
            ? try await OpenSSL.key(kind.algorithm)
            : try await OpenSSL.key(kind.algorithm, kind.option)
        try folder.write(key, to: "key.pem")
        try folder.write(settings, to: "settings")
        var launch = Launch(
            "sh", arguments: ["-ec", script, "sh", kind.name, kind.from, kind.until, kind.hosts])
        launch.directory = folder.path
        try await Tool.run(launch)
        return Certificate(
            folder: folder, fingerprint: try await OpenSSL.fingerprint(ofKey: key))
    }
}
