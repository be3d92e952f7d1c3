import Foundation
import TestSupport

/// Users of a NATS server who may write, and who may only read: `host` with the password `h`, and
/// `relay` with `r`.
enum NATSPermissions {
    /// The block that docs/FAR.md has, as it stands there.
    static func documented() throws -> String {
        let page = try String(
            contentsOfFile: Repository.path(of: "docs/FAR.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let block = lines.drop { $0 != "    accounts {" }.prefix { $0.hasPrefix("    ") }
        guard !block.isEmpty else {
            throw WaitFailed(what: "accounts", reason: "docs/FAR.md has none", seen: "")
        }
        return block.map { line in
            let name = line.contains("user: host") ? "h" : "r"
            return line.replacing(#"password: "...""#, with: "password: \(name)")
        }.joined(separator: "\n")
    }

    /// One account for both, as the documentation had it once: it does not keep readers from
    /// writing.
    static let ofOneAccount = """
        authorization { users = [
          { user: host, password: h, permissions: {
              publish: ["beamscribe.>", "$JS.API.>", "$JS.FC.>"]
              subscribe: ["_INBOX.>", "beamscribe.partial.>"] } }
          { user: relay, password: r, permissions: {
              publish: ["$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.CREATE.>",
                        "$JS.API.CONSUMER.DURABLE.CREATE.>", "$JS.API.CONSUMER.DELETE.>",
                        "$JS.API.STREAM.MSG.GET.*", "$JS.FC.>"]
              subscribe: ["_INBOX.>", "beamscribe.partial.>"] } }
        ] }
        """
}
