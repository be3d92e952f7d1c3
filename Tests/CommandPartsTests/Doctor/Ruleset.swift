/// Rules as `nft -j list ruleset` prints them.
enum Ruleset {
    /// A chain at the input with `rules`, and more items beside it.
    static func json(_ rules: String, policy: String = "accept", more: String = "") -> String {
        let items = [
            #"{"metainfo":{"version":"1.0.6","json_schema_version":1}}"#,
            #"{"table":{"family":"inet","name":"filter","handle":1}}"#,
            """
            {"chain":{"family":"inet","table":"filter","name":"input","handle":1,"type":"filter",\
            "hook":"input","prio":0,"policy":"\(policy)"}}
            """,
            more, rules,
        ]
        return #"{"nftables":["# + items.filter { !$0.isEmpty }.joined(separator: ",") + "]}"
    }

    /// A rule with a verdict, in chain "input" unless it is said otherwise.
    static func rule(
        _ conditions: String..., chain: String = "input", verdict: String? = nil
    ) -> String {
        let expressions = conditions.dropLast(verdict == nil ? 1 : 0)
        let last = verdict ?? #"{"\#(conditions.last ?? "")":null}"#
        return """
            {"rule":{"family":"inet","table":"filter","chain":"\(chain)","handle":9,\
            "expr":[\((expressions + [last]).joined(separator: ","))]}}
            """
    }

    /// Another chain, which is only jumped to.
    static func chain(_ name: String) -> String {
        #"{"chain":{"family":"inet","table":"filter","name":"\#(name)","handle":2}}"#
    }

    /// A condition on the port that a packet goes to.
    static func dport(_ transport: String, _ ports: String) -> String {
        match(#"{"payload":{"protocol":"\#(transport)","field":"dport"}}"#, ports)
    }

    static func match(_ left: String, _ right: String, _ operation: String = "==") -> String {
        #"{"match":{"op":"\#(operation)","left":\#(left),"right":\#(right)}}"#
    }

    static func meta(_ key: String, _ right: String, _ operation: String = "==") -> String {
        match(#"{"meta":{"key":"\#(key)"}}"#, right, operation)
    }
}
