import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS

/// What this guest asks of the hosts that it tries, and how it comes to a code.
actor JoinSecurity {
    private let options: JoinSecurityOptions
    private let prompt: CodePrompt
    private let known: KnownHosts
    /// Nil where nothing can be remembered.
    private let file: KnownHostsFile?
    private var key: PreSharedKey?
    /// Whether the code was typed when it was asked for, and so may be again.
    private var wasTyped = false
    private var attempts = 0
    /// Whether the user gave up when a code was asked for.
    private(set) var hasBeenLeft = false

    /// How often a code is asked for: a host takes five wrong ones a minute.
    private static let attempts = 3

    init(
        _ options: JoinSecurityOptions, in folder: StateFolder, prompt: CodePrompt
    ) async throws {
        self.options = options
        self.prompt = prompt
        let given = try GivenCode.take(option: options.code)
        // Who has a code wants it proved. A key that is asked for is another kind of proof.
        let code = options.insecure || options.fingerprint != nil ? nil : given?.code
        let needsKeys = !options.insecure && code == nil
        (known, file) = needsKeys ? try Self.remembered(in: folder) : (KnownHosts(), nil)
        if let code { key = try await Self.derive(code) }
    }

    /// What is remembered. A file that is damaged is not passed over, for any host would pass for
    /// new then; but a folder that cannot be used keeps nobody from the captions.
    private static func remembered(
        in folder: StateFolder
    ) throws -> (KnownHosts, KnownHostsFile?) {
        let file = KnownHostsFile(in: folder)
        do throws(KnownHostsFileError) {
            return (try file.load(), file)
        } catch .system(let error) {
            say("warning: \(error). Hosts are not known again by their keys.")
            return (KnownHosts(), nil)
        } catch {
            throw Failure(.unreadableInput, "\(error).")
        }
    }

    /// What to ask of `target`; nil when the user has had enough.
    ///
    /// - Parameter address: what the host is known by where it is joined by its address.
    func demand(
        of target: GuestConfiguration.Target, at address: HostIdentity?
    ) async throws -> GuestSecurity? {
        if options.insecure { return .plain }
        if let key { return .code(key) }
        var identity = address
        if case .host(let host) = target {
            if host.security == "code", options.fingerprint == nil {
                return try await askForCode("Code of \(HostWords.name(of: host)): ")
            }
            identity = host.deviceName.map { .device($0) }
        }
        var keys = GuestSecurity.KnownKeys()
        keys.identity = identity
        keys.known = known
        keys.file = file
        keys.pin = options.fingerprint.flatMap { FingerprintPin($0) }
        keys.forgets = options.forget
        return .key(keys)
    }

    /// A host did not let this guest in: what the user can do about it at once.
    ///
    /// - Returns: what to ask of it now; nil where nothing can be done.
    func demand(after refusal: SecurityRefusal) async throws -> GuestSecurity? {
        switch refusal {
        case .codeNeeded where options.fingerprint == nil:
            return try await askForCode("Code of the event: ")
        case .wrongCode where wasTyped && attempts < Self.attempts:
            return try await askForCode("The code is wrong. Code: ")
        default: return nil
        }
    }

    private func askForCode(_ question: String) async throws -> GuestSecurity? {
        attempts += 1
        var typed = ""
        while typed.isEmpty {
            guard let answer = try await prompt.ask(question) else {
                hasBeenLeft = true
                return nil
            }
            typed = answer
        }
        wasTyped = true
        guard let code = try? EventCode(typed) else {
            guard attempts < Self.attempts else { throw Failure(.usage, Self.noCode) }
            return try await askForCode("That is no code. Code: ")
        }
        let derived = try await Self.derive(code)
        key = derived
        return .code(derived)
    }

    private static let noCode =
        "that is no code: type the letters and digits that the host shows, such as XXXXX-XXXXX."

    private static func derive(_ code: EventCode) async throws -> PreSharedKey {
        ProcessSecrets.forbidCoreDumps()
        do throws(TLSError) {
            return try await PreSharedKey(derivedFrom: code)
        } catch {
            throw Failure(
                .system, "\(error). Try again; `beamscribe doctor` checks this machine.")
        }
    }
}
