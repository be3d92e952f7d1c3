import Foundation

/// OpenSSL's own command-line tool: what it makes of keys is no work of this project.
public enum OpenSSL {
    /// Runs `openssl` with `arguments` to its end, and answers what it printed.
    @discardableResult
    public static func run(_ arguments: String..., input: String = "") async throws -> String {
        try await Tool.run(Launch("openssl", arguments: arguments), input: input)
    }

    /// A new private key in PEM form, of a kind that `openssl genpkey -algorithm` knows.
    public static func key(_ algorithm: String, _ options: String...) async throws -> String {
        let words = ["genpkey", "-algorithm", algorithm] + options.flatMap { ["-pkeyopt", $0] }
        return try await Tool.run(Launch("openssl", arguments: words))
    }

    /// The SHA-256 of a key's SubjectPublicKeyInfo, in lower-case hexadecimal digits, as
    /// `openssl pkey -pubout -outform DER | sha256sum` has it.
    public static func fingerprint(ofKey pem: String) async throws -> String {
        let pipe = "openssl pkey -pubout -outform DER | sha256sum | cut -d ' ' -f 1"
        let printed = try await Tool.run(
            Launch("sh", arguments: ["-ec", pipe]), input: pem)
        return printed.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
