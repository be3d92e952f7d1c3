import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// At which server events are kept, to be read beyond one network.
struct NATSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A NATS server with JetStream that keeps the event, for readers beyond this network: "
                + "tls://nats.example.org; several of one cluster with commas.",
            valueName: "url"))
    var nats: String?

    @Option(
        help: ArgumentHelp(
            "The file with this user's credentials at the NATS server.", valueName: "file"),
        completion: .file())
    var natsCreds: String?

    @Option(
        help: ArgumentHelp(
            "The file with the certificates of who vouches for the NATS server (default: the "
                + "system's).", valueName: "file"),
        completion: .file())
    var natsCa: String?

    @Option(
        help: ArgumentHelp(
            "The subject for answers to this user, where the NATS server gives each user one of "
                + "its own (default: _INBOX).", valueName: "subject"))
    var natsInboxPrefix: String?

    func validate() throws {
        guard let nats else {
            let given = [
                ("--nats-creds", natsCreds), ("--nats-ca", natsCa),
                ("--nats-inbox-prefix", natsInboxPrefix),
            ]
            let option = given.first { $0.1 != nil }?.0
            return try check(
                option == nil, "\(option ?? "") is about the server of --nats: give that.")
        }
        #if !NATS
            try check(false, "--nats is not in this program: it was built without the trait NATS.")
        #endif
        try check(
            BackboneServer(nats) != nil,
            "--nats takes an address such as tls://nats.example.org or nats://192.0.2.7:4222, not "
                + "'\(BackboneServer.withoutPassword(SafeText.line(nats)))'.")
        try check(
            natsInboxPrefix.map(Self.isSubject) ?? true,
            "--nats-inbox-prefix takes a subject without * and >, such as _INBOX_anna, not "
                + "'\(SafeText.line(natsInboxPrefix ?? ""))'.")
    }

    private static func isSubject(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.count <= 64
                && word.unicodeScalars.allSatisfy {
                    $0.value > 0x20 && $0.value < 0x7f && $0 != "*" && $0 != ">"
                }
        } && text.utf8.count <= 128
    }

    /// The server; nil where none was given.
    ///
    /// - Throws: ``Failure`` where a file that it needs cannot be read.
    func server(replicas: Int = 1) throws -> BackboneServer? {
        guard var server = nats.flatMap({ BackboneServer($0) }) else { return nil }
        for (option, path) in [("--nats-creds", natsCreds), ("--nats-ca", natsCa)] {
            guard let path else { continue }
            do throws(SystemError) {
                _ = try SmallFile.read(path, limit: Self.largestFile)
            } catch {
                throw Failure(.unreadableInput, "\(option): \(error).")
            }
        }
        (server.credentials, server.authorities) = (natsCreds, natsCa)
        server.inboxPrefix = natsInboxPrefix
        server.replicas = replicas
        return server
    }

    private static let largestFile = 1_048_576
}

/// What those who bring an event there decide beside that.
struct NATSHostOptions: ParsableArguments {
    @OptionGroup var reading: NATSOptions

    @Flag(help: "Whoever may read at the NATS server may read this event, though it has a code.")
    var natsMayRead = false

    @Option(
        help: ArgumentHelp(
            "On how many servers of a NATS cluster the event is kept, 1 to 5.", valueName: "n"))
    var natsReplicas = 1

    func validate() throws {
        try check((1...5).contains(natsReplicas), "--nats-replicas takes 1 to 5.")
        guard reading.nats == nil else { return }
        let option = natsMayRead ? "--nats-may-read" : natsReplicas != 1 ? "--nats-replicas" : nil
        try check(option == nil, "\(option ?? "") is about the server of --nats: give that.")
    }

    /// - Parameters:
    ///   - hasCode: whether guests have to know a code.
    ///   - isInsecure: whether guests may do without encryption.
    func checkReaders(hasCode: Bool, isInsecure: Bool) throws {
        guard reading.nats != nil else { return }
        try check(
            !isInsecure,
            "--nats and --insecure exclude each other: without encryption nothing is signed, and nobody "
                + "could tell whose words these are.")
        try check(
            !hasCode || natsMayRead,
            "whoever may read at the NATS server, and its owner, could read an event with a code: give "
                + "--nats-may-read if they may.")
    }

    /// The server; nil where none was given.
    func server() throws -> BackboneServer? { try reading.server(replicas: natsReplicas) }
}
