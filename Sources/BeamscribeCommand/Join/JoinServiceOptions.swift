import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// Services that show captions to people who read elsewhere.
struct JoinServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send finished lines to a Zoom meeting, by the link that its host copies.",
            valueName: "url"))
    var zoom: String?

    func validate() throws {
        try check(
            zoom.map { CaptionAddress($0) != nil } ?? true,
            "--zoom takes the link that Zoom gives the meeting's host (Copy the API token), which "
                + "begins with https://.")
    }

    /// Gets ready to send to those that are wanted.
    func open(
        _ tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    ) throws -> [CaptionCourier] {
        guard let zoom, let address = CaptionAddress(zoom) else { return [] }
        ProcessSecrets.hideArgument(zoom)
        let description = ServiceDescription(
            name: "Zoom", place: address.place, identity: address.text, rules: ZoomService.rules)
        return [
            try courier(description, ZoomService(address, by: client(for: "--zoom")), tell)
        ]
    }

    private func courier(
        _ description: ServiceDescription, _ service: sending any CaptionService,
        _ tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    ) throws -> CaptionCourier {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        return try CaptionCourier(
            description, service, keeping: ServiceRecord(of: description.identity, in: folder),
            tell: tell)
    }

    private func client(for option: String) throws -> HTTPClient {
        guard let client = HTTPClient() else {
            throw Failure(
                .system,
                "\(option) needs libcurl 4, which is not here. Install it (Debian: libcurl4).")
        }
        return client
    }
}
