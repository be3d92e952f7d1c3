import Foundation
import TestSupport
import Testing

/// The host's own key, as it lies in the state folder.
@Suite struct OwnKeyTests {
    private func launch(withKey pem: String) throws -> (Launch, TemporaryFolder) {
        let folder = try TemporaryFolder()
        try folder.makeFolder("beamscribe")
        let path = try folder.write(pem, to: "beamscribe/host-key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: 0)
        return (.beamscribe(words, state: folder), folder)
    }

    @Test(arguments: [("ED25519", ""), ("RSA", "rsa_keygen_bits:2048")])
    func host_usesTheKeyThatIsThere(_ algorithm: String, _ option: String) async throws {
        let pem =
            option.isEmpty
            ? try await OpenSSL.key(algorithm) : try await OpenSSL.key(algorithm, option)
        let (launch, folder) = try launch(withKey: pem)
        let room = try await Room(launch, folder)
        let fingerprint = try await OpenSSL.fingerprint(ofKey: pem)
        #expect(try await room.fingerprint() == fingerprint.prefix(16))
        let guest = try await room.joined("--fingerprint", fingerprint)
        try await room.tell("hello")
        #expect(try await guest.waitForLines(1) == ["hello"])
        #expect(try folder.read("beamscribe/host-key.pem") == pem)
    }

    @Test(arguments: ["encrypted", "cut off", "too weak", "cannot sign"])
    func host_endsWithCode65_whenItsKeyCannotBeUsed(how: String) async throws {
        let pem: String
        switch how {
        case "too weak": pem = try await OpenSSL.key("RSA", "rsa_keygen_bits:1024")
        case "cannot sign": pem = try await OpenSSL.key("X25519")
        case "cut off": pem = String(try await OpenSSL.key("ED25519").prefix(60))
        default:
            let key = try await OpenSSL.key("ED25519")
            pem = try await OpenSSL.run("pkcs8", "-topk8", "-passout", "pass:x", input: key)
        }
        let (launch, folder) = try launch(withKey: pem)
        let host = try RunningProgram(launch)
        try await host.expectExit(65)
        let last = host.standardErrorLines.last ?? ""
        #expect(last.contains("host-key.pem") && last.contains("Move the file away"), "\(last)")
        #expect(host.standardErrorLines.count == 1)
        #expect(try folder.read("beamscribe/host-key.pem") == pem)
    }
}
