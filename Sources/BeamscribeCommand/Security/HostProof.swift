import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// What a host proves itself by, and what its operator is to know of that.
struct HostProof {
    let security: HostSecurity
    /// What guests have to know; nil where everybody may come in.
    private(set) var code: EventCode?
    /// A code that was made up, and where it is shown: once.
    private(set) var codeToShow: (code: EventCode, screen: SecretScreen)?
    /// What the operator should hear.
    private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - folder: where the host's key is kept.
    ///   - session: the session's id, which a code's record is made with.
    ///   - isEphemeral: to write nothing to the folder.
    init(
        _ options: HostSecurityOptions, in folder: StateFolder, for session: UUID,
        isEphemeral: Bool
    ) async throws {
        ProcessSecrets.forbidCoreDumps()
        let given = try GivenCode.take(option: options.code)
        let hasCode = options.code != nil || given != nil
        guard !hasCode || !options.insecure else {
            throw Failure(
                .usage,
                "a code and --insecure exclude each other: without encryption nobody can "
                    + "prove that he knows it.")
        }
        if let given { try Self.check(given, allowsWeak: options.weakCode) }
        let (key, warnings) = try Self.key(in: folder, isEphemeral: isEphemeral)
        self.warnings = warnings
        guard hasCode else {
            security = HostSecurity(key, allowsPlain: options.insecure)
            return
        }
        let code: EventCode
        if let given {
            code = given
        } else {
            let made = try Self.makeUp()
            (code, codeToShow) = (made.0, made)
        }
        do throws(TLSError) {
            self.code = code
            let salt = withUnsafeBytes(of: session.uuid) { Array($0) }
            security = HostSecurity(key, code: try CodeRecord(of: code, salt: salt))
        } catch {
            throw Failure(.system, "\(error). Try again; `beamscribe doctor` checks this machine.")
        }
    }

    /// What a writer in somebody else's event signs by, where nobody joins.
    init(signingIn folder: StateFolder, isEphemeral: Bool) throws {
        let (key, warnings) = try Self.key(in: folder, isEphemeral: isEphemeral)
        (security, self.warnings) = (HostSecurity(key), warnings)
    }

    /// Makes up a code, where it can be shown.
    static func makeUp(
        for option: String = "--code", _ variable: String = GivenCode.variable
    ) throws -> (EventCode, SecretScreen) {
        guard let screen = SecretScreen.find() else {
            throw Failure(
                .usage,
                "\(option) would show the code that it makes up in a log: give one of your own in "
                    + "\(variable), or start the host on a terminal.")
        }
        var random = SecureRandom()
        return (.random(using: &random), screen)
    }

    /// Refuses a code that is easy to guess.
    static func check(_ code: EventCode, allowsWeak: Bool) throws {
        guard let weakness = code.weakness, weakness == .tooShort || !allowsWeak else { return }
        let way = weakness == .tooShort ? "." : ", or take it with --weak-code."
        throw Failure(.usage, "the code is easy to guess. \(weakness) Let --code make one up\(way)")
    }

    /// An event that asked for a code must not be open to everybody all of a sudden.
    func checkGoesOn(_ record: SessionRecord) throws {
        guard record.hasCode == true, !security.hasCode else { return }
        throw Failure(
            .usage,
            "the event asks for a code: give the same one in \(GivenCode.variable), so that "
                + "guests who wait come back by themselves, or have another made up with --code.")
    }

    // MARK: The key

    /// The host's lasting key; one for this event alone where none can be kept.
    static func key(
        in folder: StateFolder, isEphemeral: Bool
    ) throws -> (HostKey, [String]) {
        let file = HostKeyFile(in: folder)
        do {
            if let (key, warnings) = try kept(in: file) { return (key, warnings) }
            let made = try HostKey()
            guard !isEphemeral else { return (made, []) }
            return (try HostKey(pem: try file.create(try made.pem()).pem), [])
        } catch let error as TLSError {
            throw Failure(
                .unreadableInput,
                "the host's key in \(file.path) cannot be used: \(error). Move "
                    + "the file away, and a new key is made; guests will have to accept it.")
        } catch let error as SystemError {
            let why =
                "The host's key cannot be kept: \(error). This event has a key of its own, and "
                + "guests who were here before will have to accept it with --forget."
            return (try HostKey(), [why])
        }
    }

    private static func kept(in file: HostKeyFile) throws -> (HostKey, [String])? {
        guard let contents = try file.load() else { return nil }
        let exposed =
            "Others could read the host's key in \(file.path). Now they cannot, but whoever did can "
            + "pass for this host: remove the file to get a new key if that matters."
        return (try HostKey(pem: contents.pem), contents.wasExposed ? [exposed] : [])
    }
}
