import TestSupport
import Testing

/// Credentials files of NATS users, and what a server has to know to tell them apart
/// (`Tests/Support/Services/nats_credentials.py` says who they are).
struct NATSCredentials {
    private let folder: TemporaryFolder
    /// Of a server's configuration: whom it trusts.
    let trust: String

    static func make() async throws -> NATSCredentials {
        let folder = try TemporaryFolder()
        let script = Repository.path(of: "Tests/Support/Services/nats_credentials.py")
        let program = try RunningProgram(
            Launch("/usr/bin/python3", arguments: [script, folder.path]))
        try await program.expectExit(0)
        return NATSCredentials(folder: folder, trust: try folder.read("trust.conf"))
    }

    /// The options of somebody who has the file of `user`; none for nil.
    func options(of user: String?) -> [String] {
        user.map { ["--nats-creds", folder.path(of: "\($0).creds")] } ?? []
    }

    /// Puts the credentials of another into the file of `user`.
    func replace(_ user: String, by other: String) throws {
        try folder.write(try folder.read("\(other).creds"), to: "\(user).creds")
    }
}
