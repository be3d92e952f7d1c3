import BeamscribeCore
import BeamscribeTLS
import Foundation
import Testing

@Suite("The id of a log that is bound to its key")
struct BoundSessionTests {
    @Test("The test vector of docs/PROTOCOL.md")
    func vector() throws {
        let key = try #require(
            Data(
                base64Encoded:
                    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMdj4bSjoMhj1yNy6TTORAFGjkKDB"
                    + "WnL1vniQPp7qcyamdI2yPdcYjyZGSzaJcsBkSkJZjHY72zdirqnNsFoHaw=="
            ))
        let id = BoundSession.id(of: Array(key), begunAt: 1_795_219_606.5, by: try LogSHA256())
        #expect(id?.uuidString.lowercased() == "70d36af5-91eb-82fa-b62d-e42e449688b5")
    }

    @Test("A time that is none has no id", arguments: [-1, Double.nan, .infinity, 1e30])
    func times(_ time: Double) throws {
        #expect(BoundSession.id(of: [1], begunAt: time, by: try LogSHA256()) == nil)
    }
}
