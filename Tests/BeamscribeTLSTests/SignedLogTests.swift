import BeamscribeTLS
import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// The chain and the signatures of a log, by the contract's vector.
@Suite struct SignedLogTests {
    private let log = UUID(uuidString: "963435f3-1dc9-4def-bf99-59a085b55c03")!
    private let lines = [
        #"{"type":"liveChunk","isFinal":true,"seq":1,"line":"1","text":"Good evening.","#
            + #""sentTimestamp":1795219606.5}"#,
        #"{"type":"liveChunk","isFinal":true,"seq":2,"line":"2","#
            + #""text":"Thank you for having us.","sentTimestamp":1795219607.5,"#
            + #""sig":"czYlVM-kNvVVEEL0WQIixO5vCQrPpxDG_MlkbfO5H0WwmPoGNr6rbr37iByw6FeNKygOIG"#
            + #"fIGX3KkVvf22ONyQ"}"#,
    ]
    private let hashes = [
        "b621a888cfe85ce7a48fa32c8b8f987723b9771456da4d5cc5a324026ca1688f",
        "d1566d08fd1aa64e74f0396c02c88ff0f06aac9f8dec90f63796f0c6d2722d82",
        "8b3448b8f5a7d3157e5f8aa0c8b55cc46144b9577eef2a5de2ca56d07f6d6279",
    ]
    /// The vector's key, SHA-256("beamscribe test key") as the private number, as its writer tells it.
    private let publicKey = Data(base64Encoded: Self.vectorKey)!
    private static let vectorKey =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMdj4bSjoMhj1yNy6TTORAFGjkKDB"
        + "WnL1vniQPp7qcyamdI2yPdcYjyZGSzaJcsBkSkJZjHY72zdirqnNsFoHaw=="
    private let writer = "2b82fb2eb3e52fcb27ed443b22ff57727ca903395cbc67456dda4677b6a81aca"

    private func chain(of lines: [String]) throws -> (LineChain, LogSignature?) {
        let hasher = try LogSHA256()
        var (chain, last) = (LineChain(of: log, by: hasher), LogSignature?.none)
        for line in lines {
            Array(line.utf8).withUnsafeBytes {
                let payload = SignedPayload($0)
                chain.append(payload)
                last = payload.signature
            }
        }
        return (chain, last)
    }

    @Test(arguments: 0...2)
    func chain_isTheVectors(_ count: Int) throws {
        let (chain, _) = try chain(of: Array(lines.prefix(count)))
        #expect(chain.hash.hex == hashes[count] && chain.seq == count)
    }

    @Test func signature_isTheVectorsWriters_andOfThisRunOnly() throws {
        let key = try #require(WriterPublicKey(Array(publicKey)))
        #expect(key.writer.hex == writer)
        let (chain, last) = try chain(of: lines)
        let signature = try #require(last)
        #expect(key.accepts(signature, of: LogStatement.line(chain, run: 1)))
        #expect(!key.accepts(signature, of: LogStatement.line(chain, run: 2)))
    }

    @Test func changedByte_isFound_whereverItIs() throws {
        let key = try #require(WriterPublicKey(Array(publicKey)))
        for index in lines.indices {
            for place in lines[index].utf8.indices {
                var bytes = Array(lines[index].utf8)
                bytes[lines[index].utf8.distance(from: lines[index].startIndex, to: place)] ^= 1
                var changed = lines
                changed[index] = String(decoding: bytes, as: UTF8.self)
                let (chain, signature) = try chain(of: changed)
                let isAccepted = signature.map {
                    key.accepts($0, of: LogStatement.line(chain, run: 1))
                }
                // The brace that ends an unsigned line is no part of what is hashed.
                let isBrace = index == 0 && bytes.last != UInt8(ascii: "}")
                #expect(isAccepted != true || isBrace, "byte of line \(index + 1)")
            }
        }
    }

    @Test func writer_signsWhatItsReadersAccept() throws {
        let host = try HostKey()
        let key = try #require(WriterKey(host))
        let reader = try #require(WriterPublicKey(key.publicKey))
        #expect(reader.writer == host.fingerprint)
        for number in 0..<200 {
            let statement = Array("statement \(number)".utf8)
            let signature = try #require(key.sign(statement))
            #expect(reader.accepts(signature, of: statement))
            let signed = SignedPayload.signed(Array(#"{"a":1}"#.utf8), by: signature)
            signed.withUnsafeBytes {
                let payload = SignedPayload($0)
                #expect(payload.signature == signature)
                #expect(payload.body.elementsEqual(#"{"a":1"#.utf8))
            }
        }
        #expect(WriterPublicKey(Array(key.publicKey.dropLast())) == nil)
        #expect(WriterPublicKey(key.publicKey + [0]) == nil)
    }

    @Test func keyOfAnotherKind_signsNothing() throws {
        let ed25519 = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIF9cYFkSFeBok+1kH16e0tkmH31uhMKXzmynvRK7JLzm
            -----END PRIVATE KEY-----
            """
        #expect(WriterKey(try HostKey(pem: Array(ed25519.utf8))) == nil)
    }
}
