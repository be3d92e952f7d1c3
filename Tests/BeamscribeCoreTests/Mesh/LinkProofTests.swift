import FoundationEssentials
import Testing

@testable import BeamscribeCore

@Suite("With whose key a node writes")
struct LinkProofTests {
    private let exporter = [UInt8](repeating: 7, count: 32)
    private let ann = ToyCrypto("Ann")

    @Test("It is proven over one connection, for one of its ends")
    func proof() throws {
        let proof = try #require(LinkProof(by: ann, as: .dialler, over: exporter))
        let said = try #require(LinkProof(key: proof.key, proof: proof.proof))
        #expect(said.writer(as: .dialler, over: exporter, ann) == ToyVerifier(crypto: ann).writer)
        #expect(said.writer(as: .dialled, over: exporter, ann) == nil)
        #expect(said.writer(as: .dialler, over: exporter.map { $0 &+ 1 }, ann) == nil)
    }

    @Test("Nobody proves it with another's signature, or with none")
    func forgeries() throws {
        let proof = try #require(LinkProof(by: ToyCrypto("Ben"), as: .dialler, over: exporter))
        for text in [proof.proof, "", "A", String(repeating: "A", count: 86)] {
            let said = try #require(LinkProof(key: Data(ann.publicKey), proof: text))
            #expect(said.writer(as: .dialler, over: exporter, ann) == nil)
        }
        #expect(LinkProof(key: nil, proof: proof.proof) == nil)
        #expect(LinkProof(key: proof.key, proof: nil) == nil)
    }
}
