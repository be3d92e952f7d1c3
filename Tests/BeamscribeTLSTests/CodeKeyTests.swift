import BeamscribeCore
import TestSupport
import Testing

@testable import BeamscribeTLS

/// The key that stands for a code is the one that the contract describes.
@Suite struct CodeKeyTests {
    /// Python's scrypt, on codes as they are typed, in the normal form that it makes itself.
    private static let listing = """
        import hashlib, re, sys
        for typed in sys.argv[1:]:
            form = re.sub("[IL]", "1", re.sub("[ -]", "", typed).upper().replace("O", "0"))
            print(hashlib.scrypt(form.encode(), salt=b"beamscribe-psk-v1", n=2**15, r=8, p=1,
                maxmem=2**26, dklen=32).hex())
        """

    @Test func key_isWhatAnotherImplementationDerives() async throws {
        let typed = [
            "7K3M9-QX2TA", "7k3m9 qx2ta", "ZZZZZ-ZZZZZ", "oil01-OIL01", "A",
            String(repeating: "7K3M9QX2", count: 8),
        ]
        let launch = Launch("python3", arguments: ["-c", Self.listing] + typed)
        let python = try RunningProgram(launch)
        #expect(try await python.waitForExit(within: .seconds(30)) == .success)
        #expect(python.standardOutputLines.count == typed.count)
        for (typed, expected) in zip(typed, python.standardOutputLines) {
            let key = try await PreSharedKey(derivedFrom: EventCode(typed))
            let hex = key.bytes.map { byte in
                String([byte >> 4, byte & 15].map { Array("0123456789abcdef")[Int($0)] })
            }
            #expect(hex.joined() == expected, "\(typed)")
        }
        #expect(python.standardOutputLines[0] == python.standardOutputLines[1])
    }

    /// Made once with Python's hashlib.scrypt, so that no machine can change its mind.
    @Test func key_staysTheSame_forAKnownCode() async throws {
        let key = try await PreSharedKey(derivedFrom: EventCode("7K3M9-QX2TA"))
        #expect(key == PreSharedKey(bytes: Self.known))
    }

    static let known: [UInt8] = [
        0xA9, 0xE5, 0x87, 0x00, 0x1C, 0x80, 0xCA, 0xEE,
        0x94, 0xBB, 0x30, 0x1D, 0xD7, 0x6D, 0x4C, 0xAD,
        0xD8, 0xE4, 0xA1, 0xAC, 0x27, 0x36, 0x82, 0xA1,
        0xF0, 0xC3, 0x28, 0x37, 0xF1, 0xAC, 0x1B, 0xD9,
    ]

    @Test func key_tellsNothingOfItself() async throws {
        let key = try await PreSharedKey(derivedFrom: EventCode("7K3M9-QX2TA"))
        var dumped = ""
        dump(key, to: &dumped)
        for text in [dumped, "\(key)", String(reflecting: key)] {
            #expect(!text.contains("\(key.bytes[0])") || !text.contains("\(key.bytes[31])"))
        }
        #expect(PreSharedKey(bytes: [1, 2, 3]) == nil)
    }
}
