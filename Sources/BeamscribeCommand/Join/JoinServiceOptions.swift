import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// Services that show captions to people who read elsewhere.
struct JoinServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send finished lines to a Zoom meeting, by the link that its host copies.",
            valueName: "url"))
    var zoom: String?

    @Option(
        help: ArgumentHelp(
            "Send finished lines to a live stream on YouTube, by its link for captions.",
            valueName: "url"))
    var youtube: String?

    @Option(
        help: ArgumentHelp(
            "Have OBS Studio put finished lines into its stream; the port is 4455 by default, the password in BEAMSCRIBE_OBS_PASSWORD.",
            valueName: "host[:port]"))
    var obsWebsocket: String?

    func validate() throws {
        try check(
            zoom.map { CaptionAddress($0) != nil } ?? true,
            "--zoom takes the link that Zoom gives the meeting's host (Copy the API token), which "
                + "begins with https://.")
        try check(
            youtube.map { CaptionAddress($0) != nil } ?? true,
            "--youtube takes the link of YouTube Studio (POST captions to URL), which begins with "
                + "http:// or https://.")
        try check(
            obsWebsocket.map { OBSAddress($0) != nil } ?? true,
            "--obs-websocket takes HOST or HOST:PORT, such as localhost.")
        #if !Web
            try check(
                obsWebsocket == nil,
                "this beamscribe was built without WebSocket; build it with the default traits for "
                    + "--obs-websocket.")
        #endif
    }

    /// Gets ready to send to those that are wanted.
    func open(
        _ tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    ) throws -> [CaptionCourier] {
        let zoom = try courier("Zoom", "--zoom", zoom, ZoomService.rules, tell) {
            ZoomService($0)
        }
        let youtube = try courier("YouTube", "--youtube", youtube, YouTubeService.rules, tell) {
            YouTubeService($0)
        }
        return [zoom, youtube, try obs(tell)].compactMap(\.self)
    }

    /// The password leaves the environment also where nobody needs it: commands must not have it.
    private func obs(
        _ tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void
    ) throws -> CaptionCourier? {
        let password = ProcessSecrets.takeVariable(OBSAddress.variable)
        #if Web
            guard let address = obsWebsocket.flatMap({ OBSAddress($0) }) else { return nil }
            let description = ServiceDescription(
                name: "OBS", place: address.place, identity: "obs://\(address.place)",
                rules: OBSAddress.rules)
            return try CaptionCourier(
                description, { OBSService(address, password: password) },
                keeping: ServiceRecord(of: description.identity), tell: tell)
        #else
            return nil
        #endif
    }

    private func courier(
        _ name: String, _ option: String, _ url: String?, _ rules: CaptionDelivery.Rules,
        _ tell: @escaping @Sendable (_ sentence: String, _ isWarning: Bool) -> Void,
        _ make: @Sendable (CaptionAddress) -> (any CaptionService)?
    ) throws -> CaptionCourier? {
        guard let url, let address = CaptionAddress(url) else { return nil }
        ProcessSecrets.hideArgument(url)
        let description = ServiceDescription(
            name: name, place: address.place, identity: address.text, rules: rules)
        let courier = try CaptionCourier(
            description, { make(address) }, keeping: ServiceRecord(of: description.identity),
            tell: tell)
        guard let courier else {
            throw Failure(
                .system,
                "\(option) needs libcurl 4, which is not here. Install it (Debian: libcurl4).")
        }
        return courier
    }
}
