import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// How an event is served to others by who reads it.
struct ServingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The TCP port for others; 0 for a free one (default: 23267, or a free one if it is taken).",
            valueName: "port"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "An address where others come in; may be repeated (default: all).", valueName: "address"
        ))
    var bind: [String] = []

    @Option(help: ArgumentHelp("Readers at once.", valueName: "n"))
    var maxGuests: Int?

    @Flag(help: "Do not announce on the network that the event can be had here.")
    var noBonjour = false

    @Flag(help: "Keep the event on the disk, too, and go on with it when started again.")
    var keep = false

    @Option(
        help: ArgumentHelp(
            "The same, and delete it by itself: so long after the event (30d, 2w, 12h), or 0 at its end.",
            valueName: "age"))
    var keepFor: Age?

    @Flag(help: "Go on with nothing that is kept here: it stays where it is.")
    var new = false

    func validate() throws {
        try check(
            keeps || !new,
            "--new goes with --keep or --keep-for: without them nothing is gone on with.")
        try check(
            (1...65_536).contains(maxGuests ?? 1), "--max-guests takes a number from 1 to 65536.")
        for address in bind {
            try check(IPAddress(address) != nil, "--bind takes an IP address, not '\(address)'.")
        }
    }

    /// Whether anything was asked for.
    var isGiven: Bool {
        port != nil || !bind.isEmpty || maxGuests != nil || noBonjour || keeps || new
    }

    /// Whether what is served is kept on the disk, too.
    var keeps: Bool { keep || keepFor != nil }

    /// What is served, as far as it is known before an event is found.
    struct Serving {
        let options: ServingOptions
        let role: HoldingConfiguration.Role

        /// - Parameters:
        ///   - security: what is asked of the event's host; its readers are asked for the same code.
        ///   - folder: where this machine's key is kept.
        func configuration(
            for security: GuestSecurity, of device: DeviceID, in folder: StateFolder
        ) async throws -> HoldingConfiguration {
            ResourceLimits.raiseOpenFiles()
            let (key, warnings) = try HostProof.key(in: folder, isEphemeral: false)
            warnings.forEach { say("warning: \($0)") }
            let proof = HostSecurity(key, code: try code(security.code))
            var holding = HoldingConfiguration(
                deviceName: HostNameResolver.ownName,
                deviceID: DeviceSecret(device.id).id(at: proof.fingerprint), security: proof)
            holding.role = role
            holding.port = options.port.map { .number($0) } ?? .standard
            holding.addresses = options.bind.compactMap(IPAddress.init)
            holding.maximumGuests = options.maxGuests ?? Limits.guests
            holding.announces = !options.noBonjour
            return holding
        }

        /// Nil where what is held is in memory alone.
        ///
        /// - Parameters:
        ///   - address: where the event is joined, as it was given.
        ///   - kept: what is there of it.
        func keeping(
            in folder: StateFolder, at address: String?, after kept: StoredSession?
        ) -> HoldingConfiguration.Keeping? {
            guard options.keeps else { return nil }
            var keeping = HoldingConfiguration.Keeping(in: SessionStore(in: folder))
            (keeping.age, keeping.address, keeping.kept) = (
                options.keepFor?.duration, address, kept
            )
            return keeping
        }

        private func code(_ code: EventCode?) throws -> CodeRecord? {
            guard let code else { return nil }
            let salt = withUnsafeBytes(of: UUID().uuid) { Array($0) }
            do throws(TLSError) {
                return try CodeRecord(of: code, salt: salt)
            } catch {
                throw Failure(
                    .system, "\(error). Try again; `beamscribe doctor` checks this machine.")
            }
        }
    }
}
