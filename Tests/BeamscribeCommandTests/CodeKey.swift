import TestSupport

/// The key that stands for a code, as another implementation derives it (Python's hashlib).
enum CodeKey {
    static func hex(of code: String) async throws -> String {
        let listing = """
            import hashlib, sys
            form = sys.argv[1].replace("-", "")
            print(hashlib.scrypt(form.encode(), salt=b"beamscribe-psk-v1", n=2**15, r=8, p=1,
                maxmem=2**26, dklen=32).hex())
            """
        let python = try RunningProgram("python3", "-c", listing, code)
        return try await python.waitForLine("a key", within: .seconds(30)) { $0.count == 64 }
    }

    /// What `openssl s_client` and `s_server` take.
    static func options(for code: String) async throws -> [String] {
        [
            "-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256", "-psk_identity",
            "beamscribe-v1", "-psk", try await hex(of: code),
        ]
    }
}
