import TestSupport
import Testing

/// A stand-in for a service that takes captions by HTTP, strict as its published rules are.
struct CaptionServiceStandIn {
    enum Kind: String, CaseIterable { case zoom, youtube }

    let program: RunningProgram
    let kind: Kind
    let port: UInt16

    /// - Parameters:
    ///   - port: 0 for any.
    ///   - last: the number and the text of the last post that it has; nil for none.
    static func start(
        _ kind: Kind, at address: String = "127.0.0.1", port: UInt16 = 0,
        last: (number: Int, text: String)? = nil
    ) async throws -> CaptionServiceStandIn {
        let script = Repository.path(of: "Tests/Support/Services/caption-service.py")
        let program = try RunningProgram(
            Launch(
                "python3",
                arguments: [
                    script, kind.rawValue, "--address", address, "--port", "\(port)", "--last",
                    "\(last?.number ?? 0)", "--text", last?.text ?? "",
                ]))
        let line = try await program.waitForLine(containing: "port ")
        let number = try #require(UInt16(line.dropFirst(5)))
        return CaptionServiceStandIn(program: program, kind: kind, port: number)
    }

    static let secret = "5EC2E7"

    func url(at address: String = "127.0.0.1") -> String {
        let query =
            kind == .zoom
            ? "id=1&ns=a&expire=9&sparams=id%2Cns&signature=\(Self.secret)" : "cid=\(Self.secret)"
        return "http://\(address):\(port)/closedcaption?\(query)"
    }

    /// Says what is to happen with the next posts.
    func plan(_ what: String) async throws {
        try await program.write(what + "\n")
        try await program.waitForLine(containing: what)
    }

    /// The texts that it has taken, in order.
    var taken: [String] { Self.taken(in: program.standardOutputLines) }

    private static func taken(in lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("took ") }.map {
            $0.split(separator: " ", maxSplits: 3).dropFirst(3).joined()
        }
    }

    func waitForTaken(_ texts: [String]) async throws {
        try await program.waitForOutput("\(texts.count) captions") {
            Self.taken(in: $0.standardOutput.lines).count >= texts.count
        }
        #expect(taken == texts)
        #expect(violations == [])
    }

    /// What was against the rules.
    var violations: [String] { program.standardOutputLines.filter { $0.hasPrefix("violation") } }

    /// Waits for posts that it has answered as it was told to.
    func has(_ line: String) -> Bool { program.standardOutputLines.contains(line) }
}
