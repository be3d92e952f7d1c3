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

    /// The same, with the readers `anna` and `ben` in the place of `relay`, as the page has them.
    static func ofSeveralReaders() throws -> String {
        let page = try String(
            contentsOfFile: Repository.path(of: "docs/FAR.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let readers = lines.drop { !$0.contains("user: anna") }.prefix { $0.hasPrefix("    ") }
        guard !readers.isEmpty else {
            throw WaitFailed(what: "anna", reason: "docs/FAR.md has none", seen: "")
        }
        var block = try documented().split(separator: "\n")
        guard let first = block.firstIndex(where: { $0.contains("user: relay") }) else {
            throw WaitFailed(what: "relay", reason: "docs/FAR.md has none", seen: "")
        }
        block.replaceSubrange(first..<first + 3, with: readers)
        return block.joined(separator: "\n")
            .replacing(#"password: "...""#, with: "password: r")
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
