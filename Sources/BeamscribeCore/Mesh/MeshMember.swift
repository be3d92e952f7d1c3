/// A node of a mesh with whom there is a link, as somebody may be spoken to alone.
public struct MeshMember: Equatable, Sendable {
    /// Its id, a lower-case UUID.
    public var node: String
    /// Its machine's name, and what its logs are called.
    public var names: [String]
    /// With whose key it writes, as it has proved.
    public var key: Fingerprint

    /// A node with names.
    public init(node: String, names: [String], key: Fingerprint) {
        (self.node, self.names, self.key) = (node, names, key)
    }
}

/// A line that is not for everybody, as it is typed: `/to NAME TEXT`, `/except NAME TEXT`.
public enum Whisper: Equatable, Sendable {
    /// For one alone.
    case to(MeshMember, text: String)
    /// For all others who are here.
    case except(MeshMember, text: String)
    /// Nobody who is here has that name, or several have it.
    case nobody(String)
    /// It is neither, or there are no words.
    case unknown(String)

    /// Reads what was typed; nil where that is for everybody. What begins with a slash never is, but for a second
    /// one: who has mistyped a command does not mean everybody.
    ///
    /// - Parameter members: who is here.
    public init?(_ typed: String, among members: [MeshMember]) {
        guard typed.hasPrefix("/"), !typed.hasPrefix("//") else { return nil }
        let parts = typed.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
        let command = parts.first?.lowercased() ?? ""
        guard ["to", "except"].contains(command), parts.count == 2 else {
            self = .unknown(String(typed.prefix { $0 != " " }))
            return
        }
        let rest = parts[1].trimmingPrefix { $0 == " " }
        guard let (member, text) = Self.addressee(of: String(rest), among: members) else {
            self = .nobody(String(rest.prefix { $0 != " " }))
            return
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            self = .unknown("/" + command)
            return
        }
        self = command == "to" ? .to(member, text: text) : .except(member, text: text)
    }

    /// What was typed with a second slash in front.
    public static func unescaped(_ typed: String) -> String {
        typed.hasPrefix("//") ? String(typed.dropFirst()) : typed
    }

    /// Whose whole name the text begins with, the longest first; else who alone has a name that begins with its
    /// first word.
    private static func addressee(
        of text: String, among members: [MeshMember]
    ) -> (MeshMember, String)? {
        let lower = text.lowercased()
        var named: [(member: MeshMember, length: Int)] = []
        for member in members {
            let whole = member.names.map { $0.lowercased() }.filter {
                !$0.isEmpty && (lower.hasPrefix($0 + " ") || lower == $0)
            }
            if let longest = whole.map(\.count).max() { named.append((member, longest)) }
        }
        if let longest = named.map(\.length).max() {
            let meant = named.filter { $0.length == longest }
            guard meant.count == 1 else { return nil }
            return (meant[0].member, words(text.dropFirst(longest)))
        }
        let word = text.prefix { $0 != " " }
        let begun = members.filter { member in
            member.names.contains { $0.lowercased().hasPrefix(word.lowercased()) }
        }
        guard begun.count == 1, !word.isEmpty else { return nil }
        return (begun[0], words(text.dropFirst(word.count)))
    }

    private static func words(_ text: Substring) -> String {
        String(text.drop { $0 == " " })
    }
}
