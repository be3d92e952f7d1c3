import TestSupport
import Testing

extension WebRoom {
    /// Asks as a browser does that came by the link of a private event.
    func opened() async throws -> WebClient {
        let answer = try await client.ask("/access", by: "POST", body: token)
        let cookie = try #require(answer["set-cookie"])
        var opened = client
        opened.fields = ["Cookie: \(cookie.prefix { $0 != ";" })"]
        return opened
    }
}
