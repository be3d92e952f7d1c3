import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What a host proves itself by, and what its operator is to know of that.
struct HostProof {
    let security: HostSecurity
    /// A code that was made up: shown once.
    private(set) var codeToShow: EventCode?
    /// What the operator should hear.
    private(set) var warnings: [String] = []

    /// - Parameter folder: where the host's key is kept.
    /// - Parameter isEphemeral: to write nothing there.
    init(
        _ options: HostSecurityOptions, in folder: StateFolder, isEphemeral: Bool
    ) async throws {
        let given = try GivenCode.take(option: options.code)
        guard options.code != nil || given != nil else {
            let (key, warnings) = try Self.key(in: folder, isEphemeral: isEphemeral)
            security = HostSecurity(.key(key), allowsPlain: options.insecure)
            self.warnings = warnings
            return
        }
        guard !options.insecure else {
            throw Failure(
                .usage,
                "a code and --insecure exclude each other: without encryption nobody can "
                    + "prove that he knows it.")
        }
        if let weakness = given?.code.weakness, !options.weakCode {
            throw Failure(
                .usage,
                "the code is easy to guess. \(weakness) Let --code make one up, or take "
                    + "it with --weak-code.")
        }
        var random = SecureRandom()
        let code = given?.code ?? .random(using: &random)
        ProcessSecrets.forbidCoreDumps()
        codeToShow = given == nil ? code : nil
        do throws(TLSError) {
            security = HostSecurity(.code(try await PreSharedKey(derivedFrom: code)))
        } catch {
            throw Failure(
                .system, "\(error). Try again; `beamscribe doctor` checks this machine.")
        }
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
    private static func key(
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
