import BeamscribeCore
import Testing

@testable import BeamscribeWeb

/// By which names browsers may ask for the page.
@Suite struct PageNamesTests {
    private let names = PageNames(
        machine: "Stage.example.org", given: ["Captions.Example.org", "*.hall.example"])

    @Test(arguments: [
        "127.0.0.1", "192.0.2.7:8080", "[::1]", "[2001:db8::7]:8080", "localhost", "localhost:1",
        "LOCALHOST", "stage", "stage:8080", "stage.example.org", "Stage.Example.Org.:80",
        "stage.local", "stage.local.", "STAGE.LOCAL:8080", "stage-2.local", "stage-17.local:80",
        "captions.example.org", "captions.example.org:443", "a.hall.example", "localhost:",
    ])
    func name_isGood(_ authority: String) { #expect(names.include(authority)) }

    @Test(arguments: [
        "", ":", ":80", "evil.example", "evil.example:8080", "stage.evil.example", "evil.local",
        "stageevil.local", "stage-.local", "stage-2x.local", "stage-2.evil.local", "x.stage.local",
        "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.7.nip.io", "a.b.hall.example",
        ".hall.example", "hall.example", "*.hall.example.evil", "2001:db8::7", "[192.0.2.7]",
        "[::1", "[::1]x", "[::1]:x", "localhost:99999999", "localhost:x", "localhost:80:80",
        "user@localhost", "localhost/", "local host", "localhost\u{0}", "loc\u{E1}lhost",
        "localhost\u{301}", "\u{FF4C}ocalhost", "0x7f.1", "127.1", "2130706433",
    ])
    func name_isNotThePages(_ authority: String) { #expect(!names.include(authority)) }

    /// What is not one of a few forms is refused, however near it is.
    @Test func nearMisses_areRefused() {
        var generator = SeededGenerator(seed: 9)
        let good = ["localhost:8080", "stage.local", "captions.example.org"]
        for _ in 0..<20_000 {
            var bytes = Array(good.randomElement(using: &generator)!.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let other = UInt8.random(in: 0x61...0x7A, using: &generator)
            guard (0x61...0x7A).contains(bytes[place]), bytes[place] != other else { continue }
            bytes[place] = other
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!names.include(text), "\(text)")
        }
    }
}
