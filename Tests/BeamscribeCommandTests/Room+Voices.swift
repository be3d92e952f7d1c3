import TestSupport

extension Room {
    /// The code of a crew.
    static let crewCode = "BCDF-GHJK-MNPQ"

    /// Starts a host with voices, for a crew with a code, or for nobody in particular.
    ///
    /// - Parameter folder: its state folder; by default one of its own.
    static func withVoices(
        _ options: [String] = [], code: String? = crewCode, in folder: TemporaryFolder? = nil
    ) async throws -> Room {
        let folder = try folder ?? TemporaryFolder()
        let words = ["host", "--event", "Town Hall", "--voice"] + quiet(port: 0) + options
        var launch = Launch.beamscribe(words, state: folder)
        launch.environment["BEAMSCRIBE_CREW_CODE"] = code
        return try await Room(launch, folder)
    }
}
