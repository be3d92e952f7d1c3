import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// What this guest asks of the hosts that it tries, and how it comes to a code.
actor JoinSecurity {
    private let options: JoinSecurityOptions
    private let prompt: TerminalPrompt
    private let known: KnownHosts
    /// Nil where nothing can be remembered.
    private let file: KnownHostsFile?
    private var code: EventCode?
    /// Keys that the user has said yes to.
    private var accepted: Set<Fingerprint> = []
    /// Whether the code was typed when it was asked for, and so may be again.
    private var wasTyped = false
    private var attempts = 0
    /// Whether the user gave up when a code was asked for.
    private(set) var hasBeenLeft = false

    /// How often a code is asked for: a host takes five wrong ones a minute.
    private static let attempts = 3

    init(_ options: JoinSecurityOptions, in folder: StateFolder, prompt: TerminalPrompt) throws {
        self.options = options
        self.prompt = prompt
        ProcessSecrets.forbidCoreDumps()
        let given = try GivenCode.take(option: options.code)
        code = options.insecure ? nil : given
        (known, file) = options.insecure ? (KnownHosts(), nil) : try Self.remembered(in: folder)
    }

    /// What is remembered. A file that is damaged is not passed over, for any host would pass for
    /// new then; but a folder that cannot be used keeps nobody from the captions.
    private static func remembered(in folder: StateFolder) throws -> (KnownHosts, KnownHostsFile?) {
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

    /// What is known of the host beforehand.
    var expectation: HostExpectation {
        var expectation = HostExpectation()
        expectation.hasCode = code != nil
        expectation.pin = options.pin
        expectation.known = known
        return expectation
    }

    /// What to ask of `target`; nil when the user has had enough.
    ///
    /// - Parameter address: what the host is known by where it is joined by its address.
    func demand(
        of target: GuestConfiguration.Target, at address: String?
    ) async throws -> GuestSecurity? {
        if options.insecure { return .plain }
        if case .host(let host) = target, host.security == "code", code == nil {
            guard try await askForCode("Code of \(HostWords.name(of: host)): ") else { return nil }
        }
        return security(of: target, at: address)
    }

    private func security(
        of target: GuestConfiguration.Target, at address: String?
    ) -> GuestSecurity {
        var security = GuestSecurity()
        security.code = code
        security.keys.announced = Introduction(address: address)
        if case .host(let host) = target {
            // The machine of one who only holds the event has nothing to do with the host's key.
            security.keys.announced.device = host.isHeldOnly ? nil : host.deviceName
            // What was only heard may have been cut.
            security.keys.announced.event = host.instanceName == nil ? nil : host.eventName
        }
        security.keys.known = known
        security.keys.file = file
        security.keys.pin = options.pin
        security.keys.forgets = options.forget
        security.keys.acceptsNewHosts = options.acceptNewHost
        security.keys.accepted = accepted
        return security
    }

    /// A host did not let this guest in: asks the user for what can mend that at once.
    ///
    /// - Returns: what to ask of the host now; nil where nothing can be done.
    func demand(
        of target: GuestConfiguration.Target, at address: String?, after refusal: SecurityRefusal
    ) async throws -> GuestSecurity? {
        switch refusal {
        case .codeNeeded:
            guard try await askForCode("Code of the event: ") else { return nil }
        case .wrongCode where wasTyped && attempts < Self.attempts:
            guard try await askForCode("The code is wrong. Code: ") else { return nil }
        default: return nil
        }
        return security(of: target, at: address)
    }

    /// Asks whether a host is to be trusted against what is remembered, where that can be asked.
    ///
    /// - Returns: what to ask of the host now; nil for no.
    func demand(
        of target: GuestConfiguration.Target, at address: String?, against refusal: SecurityRefusal
    ) async -> GuestSecurity? {
        guard let key = refusal.acceptable, let question = refusal.question,
            await prompt.confirm(question) == true
        else { return nil }
        accepted.insert(key)
        return security(of: target, at: address)
    }

    /// - Returns: false when the user has had enough.
    private func askForCode(_ question: String) async throws -> Bool {
        var question = question
        while attempts < Self.attempts {
            guard let typed = try await prompt.ask(question) else {
                hasBeenLeft = true
                return false
            }
            guard !typed.isEmpty else { continue }
            attempts += 1
            wasTyped = true
            if let read = try? EventCode(typed) {
                code = read
                return true
            }
            question = "That is no code. Code: "
        }
        throw Failure(
            .usage,
            "that is no code: type the digits and letters that the host shows, such as 4821-7730.")
    }
}
