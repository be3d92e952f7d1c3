import BeamscribeCore
import Testing

@Suite struct KnownHostsJSONTests {
    private let digits = String(repeating: "ab", count: 32)

    private func hosts(_ json: String) -> KnownHosts? { KnownHosts(json: Array(json.utf8)) }

    private func entry(_ fingerprint: String, _ times: String) -> String {
        #"{"version":1,"hosts":{"stage":{"fingerprint":"\#(fingerprint)",\#(times)}}}"#
    }

    @Test func json_comesBack_whateverIsRemembered() throws {
        var generator = SeededGenerator(seed: 30)
        for _ in 0..<300 {
            let hosts = Self.random(&generator)
            #expect(KnownHosts(json: hosts.json) == hosts)
        }
    }

    @Test func json_isTheContractsForm() throws {
        var hosts = KnownHosts()
        let fingerprint = try #require(Fingerprint(hex: digits))
        hosts.remember(fingerprint, of: Introduction(device: "stage"), at: 100.5)
        hosts.remember(
            fingerprint,
            of: Introduction(address: "[::1]:1", event: "Town Hall", hasCode: true), at: 7)
        let text = String(decoding: hosts.json, as: UTF8.self)
        #expect(
            text == """
                {
                  "addresses" : {
                    "[::1]:1" : {
                      "fingerprint" : "\(digits)",
                      "firstSeen" : 7,
                      "lastSeen" : 7
                    }
                  },
                  "events" : {
                    "Town Hall" : {
                      "hosts" : [
                        {
                          "device" : "",
                          "fingerprint" : "\(digits)",
                          "firstSeen" : 7,
                          "lastSeen" : 7
                        }
                      ],
                      "needsCode" : true
                    }
                  },
                  "hosts" : {
                    "stage" : {
                      "fingerprint" : "\(digits)",
                      "firstSeen" : 100.5,
                      "lastSeen" : 100.5
                    }
                  },
                  "version" : 2
                }

                """)
    }

    @Test func oldForm_isRead_andWrittenInTheNewOne_withNothingLost() throws {
        let old =
            #"{"version":1,"hosts":{"stage":{"fingerprint":"\#(digits)","firstSeen":1,"#
            + #""lastSeen":2}},"addresses":{"[::1]:1":{"fingerprint":"\#(digits)","#
            + #""firstSeen":3.5,"lastSeen":4}}}"#
        let read = try #require(hosts(old))
        let written = String(decoding: read.json, as: UTF8.self)
        #expect(written.contains(#""version" : 2"#))
        let again = try #require(hosts(written))
        #expect(again == read && again.count == 2)
        #expect(again.fingerprint(of: .device("stage"))?.hex == digits)
        #expect(again.fingerprint(of: .address("[::1]:1"))?.hex == digits)
        #expect(written.contains(#""firstSeen" : 3.5"#))
    }

    @Test func unknownKeys_arePassedOver() throws {
        let json =
            #"{"version":1,"later":[{}],"hosts":{"stage":{"fingerprint":"\#(digits)","#
            + #""firstSeen":1,"lastSeen":2,"note":null}}}"#
        #expect(try #require(hosts(json)).fingerprint(of: .device("stage"))?.hex == digits)
        #expect(hosts(#"{"version":1}"#) == KnownHosts())
    }

    @Test func json_isRefused_whenAnythingIsWrong() {
        let times = #""firstSeen":1,"lastSeen":2"#
        #expect(hosts(entry(digits, times)) != nil)
        let wrong = [
            "", " ", "null", "[]", "1", "{}", #"{"hosts":{}}"#, #"{"version":3,"hosts":{}}"#,
            #"{"version":0,"hosts":{}}"#, #"{"version":2,"events":{"e":{}}}"#,
            #"{"version":2,"events":{"e":{"needsCode":true,"hosts":[]}}}"#,
            #"{"version":2,"events":{"e":{"needsCode":true,"hosts":[{}]}}}"#,
            #"{"version":"1","hosts":{}}"#, #"{"version":1,"hosts":[]}"#,
            #"{"version":1,"hosts":{"stage":null}}"#, #"{"version":1,"hosts":{"stage":{}}}"#,
            #"{"version":1,"addresses":{"a:1":{}}}"#, #"{"version":1,"addresses":7}"#,
            entry(String(digits.dropLast()), times), entry(digits + "ab", times),
            entry("x" + digits.dropLast(), times), entry("", times),
            entry(digits, #""firstSeen":1"#), entry(digits, #""lastSeen":1"#),
            entry(digits, #""firstSeen":"1","lastSeen":2"#),
            entry(digits, #""firstSeen":1e999,"lastSeen":2"#),
            entry(digits, #""firstSeen":null,"lastSeen":2"#),
            entry(digits, #""firstSeen":NaN,"lastSeen":2"#),
            String(repeating: #"{"version":"#, count: 100_000),
        ]
        for json in wrong { #expect(hosts(json) == nil, "\(json.prefix(80))") }
    }

    @Test func beginning_isRefused_whereverItIsCut() {
        var generator = SeededGenerator(seed: 31)
        let whole = Self.random(&generator, count: 6).json
        for end in 0..<(whole.count - 2) {
            #expect(KnownHosts(json: Array(whole.prefix(end))) == nil)
        }
    }

    @Test func damagedJSON_isRefused_orStillMakesSense() throws {
        var generator = SeededGenerator(seed: 32)
        var refused = 0
        for _ in 0..<5_000 {
            var bytes = Self.random(&generator, count: 3).json
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let hosts = KnownHosts(json: bytes) else {
                refused += 1
                continue
            }
            #expect(KnownHosts(json: hosts.json) == hosts)
        }
        #expect(refused > 2_500)
    }

    @Test func noise_isRefused() {
        var generator = SeededGenerator(seed: 33)
        for _ in 0..<5_000 { #expect(KnownHosts(json: randomBytes(0...200, &generator)) == nil) }
    }

    @Test func tooManyEntries_loseTheLongestUnseen() throws {
        let entries = (0..<4_100).map {
            #""h\#($0)":{"fingerprint":"\#(digits)","firstSeen":0,"lastSeen":\#($0)}"#
        }
        let json = #"{"version":1,"hosts":{\#(entries.joined(separator: ","))}}"#
        let read = try #require(hosts(json))
        #expect(read.count == 4_096)
        #expect(read.fingerprint(of: .device("h3")) == nil)
        #expect(read.fingerprint(of: .device("h4")) != nil)
    }

    @Test func largestFile_isWithinItsLimit() throws {
        var hosts = KnownHosts()
        let fingerprint = try #require(Fingerprint(hex: digits))
        for number in 0..<4_096 {
            let name = String(repeating: "\u{1}", count: 196) + "\(number)"
            hosts.remember(
                fingerprint, of: Introduction(device: name), at: 1_700_000_000.123_456_7)
        }
        for number in 0..<(Limits.knownEvents * Limits.hostsPerEvent) {
            let event = "\(number % Limits.knownEvents)"
            let name = String(repeating: "\u{1}", count: 255 - event.utf8.count) + event
            let device = String(repeating: "\u{1}", count: Limits.deviceNameBytes)
            let key = try #require(
                Fingerprint(
                    bytes: withUnsafeBytes(of: number.bigEndian) { Array($0) }
                        + [UInt8](repeating: 0, count: 24)))
            hosts.remember(
                key, of: Introduction(device: device, event: name), at: 1_700_000_000.123_456_7)
        }
        #expect(hosts.json.count < Limits.knownHostsFile)
    }

    /// Hosts with names of all kinds, and times of all kinds, those that are no number included.
    private static func random(_ generator: inout SeededGenerator, count: Int = 20) -> KnownHosts {
        var hosts = KnownHosts()
        for _ in 0..<count {
            let name = String(decoding: randomBytes(0...30, &generator), as: UTF8.self)
            let introductions = [
                Introduction(device: name), Introduction(address: name),
                Introduction(device: "d", event: name, hasCode: .random(using: &generator)),
            ]
            let times = [.nan, .infinity, 0, 1e300, Double.random(in: -1...2e9, using: &generator)]
            let fingerprint = Fingerprint(bytes: randomBytes(32...32, &generator))!
            hosts.remember(
                fingerprint, of: introductions.randomElement(using: &generator)!,
                at: times.randomElement(using: &generator)!)
        }
        return hosts
    }
}
