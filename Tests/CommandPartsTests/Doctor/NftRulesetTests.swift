import Testing

@testable import BeamscribeCommand

/// What becomes of packets under rules of nftables.
@Suite struct NftRulesetTests {
    private let input = NftRuleset.ChainName(family: "inet", table: "filter", name: "input")
    private let guest = FirewallPacket(
        .connections(port: 23_267), on: "eth0", isIPv6: false)
    private let question = FirewallPacket(.multicastDNS, on: "eth0", isIPv6: false)
    private let question6 = FirewallPacket(.multicastDNS, on: "eth0", isIPv6: true)

    private func fate(
        _ packet: FirewallPacket, _ rules: String..., policy: String = "accept", more: String = ""
    ) throws -> NftRuleset.Fate {
        let text = Ruleset.json(rules.joined(separator: ","), policy: policy, more: more)
        return try #require(NftRuleset(text)).fate(of: packet)
    }

    @Test func policy_decides_whereNoRuleDoes() throws {
        #expect(try fate(guest) == .passes)
        #expect(try fate(guest, policy: "drop") == .dropped(by: input))
        #expect(try #require(NftRuleset(#"{"nftables":[]}"#)).fate(of: guest) == .passes)
    }

    @Test(arguments: ["", "{}", "[]", "{", "Operation not permitted", #"{"nftables":{}}"#])
    func rules_areNone_whenTheyCannotBeRead(_ text: String) {
        #expect(NftRuleset(text) == nil)
    }

    @Test func firstRuleThatFits_decides() throws {
        let open = Ruleset.rule(
            Ruleset.dport("tcp", #"{"set":[22,{"range":[23000,24000]}]}"#), "accept")
        let close = Ruleset.rule(Ruleset.meta("l4proto", #""tcp""#), "drop")
        #expect(try fate(guest, open, close, policy: "drop") == .passes)
        #expect(try fate(guest, close, open) == .dropped(by: input))
        #expect(try fate(question, close) == .passes)
    }

    @Test func commonWorkstationRules_letInMulticastDNSAlone() throws {
        let state = Ruleset.match(
            #"{"ct":{"key":"state"}}"#, #"["established","related"]"#, "in")
        let group = Ruleset.match(
            #"{"payload":{"protocol":"ip","field":"daddr"}}"#, #""224.0.0.251""#)
        let rules = [
            Ruleset.rule(state, "accept"),
            Ruleset.rule(Ruleset.meta("iifname", #""lo""#), "accept"),
            Ruleset.rule(group, Ruleset.dport("udp", "5353"), #"accept"#),
        ].joined(separator: ",")
        #expect(try fate(guest, rules, policy: "drop") == .dropped(by: input))
        #expect(try fate(question, rules, policy: "drop") == .passes)
        #expect(try fate(question6, rules, policy: "drop") == .dropped(by: input))
    }

    @Test func networks_areCompared_byTheirFirstBits() throws {
        let field = #"{"payload":{"protocol":"ip","field":"daddr"}}"#
        let rule = { (network: String, length: Int) in
            Ruleset.rule(
                Ruleset.match(field, #"{"prefix":{"addr":"\#(network)","len":\#(length)}}"#), "drop"
            )
        }
        #expect(try fate(question, rule("224.0.0.0", 4)) == .dropped(by: input))
        #expect(try fate(question, rule("192.0.2.0", 24)) == .passes)
        #expect(try fate(question6, rule("224.0.0.0", 4)) == .passes)
        #expect(try fate(guest, rule("192.0.2.0", 24)) == .uncertain(at: input))
    }

    @Test func interfaces_areCompared_alsoWithPatterns() throws {
        let rule = { (name: String, operation: String) in
            Ruleset.rule(Ruleset.meta("iifname", "\"\(name)\"", operation), "drop")
        }
        #expect(try fate(guest, rule("eth*", "==")) == .dropped(by: input))
        #expect(try fate(guest, rule("wlan0", "==")) == .passes)
        #expect(try fate(guest, rule("wlan0", "!=")) == .dropped(by: input))
    }

    @Test func jumps_comeBack_andGotosDoNot() throws {
        let more =
            Ruleset.chain("in") + ","
            + Ruleset.rule(Ruleset.dport("tcp", "1"), "accept", chain: "in")
        let drop = Ruleset.rule("drop")
        let way = { (kind: String) in
            Ruleset.rule(verdict: #"{"\#(kind)":{"target":"in"}}"#)
        }
        #expect(try fate(guest, way("jump"), drop, more: more) == .dropped(by: input))
        #expect(try fate(guest, way("goto"), drop, more: more) == .passes)
        let opened = Ruleset.chain("in") + "," + Ruleset.rule("accept", chain: "in")
        #expect(try fate(guest, way("jump"), drop, more: opened) == .passes)
        // The kernel refuses loops; a list that has one must not hang.
        let loop =
            Ruleset.chain("in") + ","
            + Ruleset.rule(chain: "in", verdict: #"{"jump":{"target":"in"}}"#)
        #expect(try fate(guest, way("jump"), more: loop) == .passes)
    }

    @Test func verdictMaps_areFollowed() throws {
        let map = { (data: String) in
            Ruleset.rule(
                verdict: #"{"vmap":{"key":{"meta":{"key":"iifname"}},"data":\#(data)}}"#)
        }
        let here = #"{"set":[["lo",{"accept":null}],["eth0",{"drop":null}]]}"#
        #expect(try fate(guest, map(here)) == .dropped(by: input))
        #expect(try fate(guest, map(#"{"set":[["lo",{"drop":null}]]}"#)) == .passes)
        let named = """
            {"map":{"family":"inet","table":"filter","name":"m","type":"ifname","map":"verdict",\
            "elem":[["eth0",{"drop":null}]]}}
            """
        #expect(try fate(guest, map(#""@m""#), more: named) == .dropped(by: input))
    }

    @Test func namedSets_areLookedUp() throws {
        let set = """
            {"set":{"family":"inet","table":"filter","name":"open","type":"inet_service",\
            "elem":[80,23267]}}
            """
        let rule = Ruleset.rule(Ruleset.dport("tcp", #""@open""#), "accept")
        #expect(try fate(guest, rule, policy: "drop", more: set) == .passes)
        #expect(try fate(guest, rule, policy: "drop") == .uncertain(at: input))
    }

    @Test func unknownConditions_makeItUncertain() throws {
        let rule = Ruleset.rule(#"{"xt":null}"#, "accept")
        #expect(try fate(guest, rule, policy: "drop") == .uncertain(at: input))
        #expect(try fate(guest, rule) == .passes)
        let limited = Ruleset.rule(#"{"limit":{"rate":5,"per":"second"}}"#, "accept")
        #expect(try fate(guest, limited, policy: "drop") == .uncertain(at: input))
    }

    @Test func countingAndLogging_decideNothing() throws {
        let counter = Ruleset.rule(
            #"{"counter":{"packets":1,"bytes":2}}"#, verdict: #"{"log":{"prefix":"x"}}"#)
        #expect(try fate(guest, counter) == .passes)
        #expect(try fate(guest, counter, policy: "drop") == .dropped(by: input))
    }

    @Test func otherFamiliesAndHooks_doNotMatter() throws {
        for (family, hook) in [("ip6", "input"), ("inet", "output"), ("bridge", "input")] {
            let other = """
                {"chain":{"family":"\(family)","table":"t","name":"c","handle":1,"type":"filter",\
                "hook":"\(hook)","prio":0,"policy":"drop"}}
                """
            #expect(try fate(guest, more: other) == .passes)
        }
    }

    /// Against the plainest reading of the same rules: the first whose ports fit decides.
    @Test func randomRules_areJudged_asAPlainReaderWould() throws {
        for _ in 0..<1_000 {
            let policy = Bool.random() ? "accept" : "drop"
            var expected = policy
            var isOpen = true
            let rules = (0..<Int.random(in: 0...5)).map { _ in
                let (low, verdict) = (
                    Int.random(in: 23_260...23_270), ["accept", "drop"].randomElement()!
                )
                let high = low + Int.random(in: 0...6)
                if isOpen, (low...high).contains(23_267) { (expected, isOpen) = (verdict, false) }
                return Ruleset.rule(
                    Ruleset.dport("tcp", #"{"range":[\#(low),\#(high)]}"#), verdict)
            }
            let ruleset = try #require(
                NftRuleset(Ruleset.json(rules.joined(separator: ","), policy: policy)))
            let fate: NftRuleset.Fate = expected == "drop" ? .dropped(by: input) : .passes
            #expect(ruleset.fate(of: guest) == fate, "\(rules)")
        }
    }
}
