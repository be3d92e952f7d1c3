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
///
/// A NAME is a machine's name, a log's label, the beginning of either, or the digits of a key. In
/// double quotes it is a whole name. A name that may mean several nodes reaches nobody: names are
/// their bearers' own choice.
public enum Whisper: Equatable, Sendable {
    /// For one alone.
    case to(MeshMember, text: String)
    /// For all others who are here.
    case except(MeshMember, text: String)
    /// Nobody who is here has that name.
    case nobody(String)
    /// Several who are here may be meant.
    case several([MeshMember])
    /// It is neither, or there are no words.
    case unknown(String)

    /// Whether it is typed for some alone, or is a mistyped command. It begins with one slash: a
    /// second slash, or none, makes it a line for everybody. Spaces before the slash do not count.
    public static func isMeant(_ typed: String) -> Bool {
        let typed = typed.drop(while: \.isWhitespace)
        return typed.hasPrefix("/") && !typed.hasPrefix("//")
    }

    /// Reads what was typed; nil where that is for everybody.
    ///
    /// - Parameter members: who is here.
    public init?(_ typed: String, among members: [MeshMember]) {
        guard Self.isMeant(typed) else { return nil }
        let typed = String(typed.drop(while: \.isWhitespace))
        let parts = typed.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
        let command = parts.first?.lowercased() ?? ""
        guard ["to", "except"].contains(command), parts.count == 2 else {
            self = .unknown(String(typed.prefix { $0 != " " }))
            return
        }
        let rest = String(parts[1].trimmingPrefix { $0 == " " })
        let (named, text) = Self.addressees(of: rest, among: members)
        guard let member = named.first, named.count == 1 else {
            self = named.isEmpty ? .nobody(Self.name(at: rest)) : .several(named)
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

    /// Returns the nodes that the beginning of a text may mean, and the rest of the text.
    private static func addressees(
        of text: String, among members: [MeshMember]
    ) -> ([MeshMember], String) {
        if let name = quoted(text) {
            let pin = FingerprintPin(String(name))
            let named = members.filter { pin?.matches($0.key) ?? $0.has(String(name)) }
            return (named, words(text.dropFirst(name.count + 2)))
        }
        let word = text.prefix { $0 != " " }
        if let (digits, pin) = key(at: text) {
            // A name that looks like the beginning of a key does not count: bearers choose names.
            return (members.filter { pin.matches($0.key) }, words(text.dropFirst(digits)))
        }
        var named: [MeshMember] = []
        var length = 0
        for member in members {
            let lengths = member.names.map(\.count).filter {
                let (begun, rest) = (text.prefix($0), text.dropFirst($0))
                return $0 > 0 && member.has(String(begun)) && (rest.isEmpty || rest.first == " ")
            }
            guard let longest = lengths.max() else { continue }
            named.append(member)
            length = max(length, longest)
        }
        if named.isEmpty, !word.isEmpty {
            length = word.count
            named = members.filter { member in
                member.names.contains { $0.lowercased().hasPrefix(word.lowercased()) }
            }
        }
        return (named, words(text.dropFirst(length)))
    }

    /// The key with which a text begins, and how long that is: 16 digits or more in one word, or in
    /// groups of four as they are shown.
    private static func key(at text: String) -> (Int, FingerprintPin)? {
        let words = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        if let word = words.first, let pin = FingerprintPin(String(word)) {
            return (word.count, pin)
        }
        let groups = words.prefix(4)
        guard groups.count == 4, groups.allSatisfy({ $0.count == 4 }),
            let pin = FingerprintPin(groups.joined())
        else { return nil }
        return (19, pin)
    }

    /// The name in double quotes with which a text begins.
    private static func quoted(_ text: String) -> Substring? {
        guard text.first == "\"" else { return nil }
        let rest = text.dropFirst()
        return rest.firstIndex(of: "\"").map { rest[..<$0] }
    }

    private static func name(at text: String) -> String {
        quoted(text).map(String.init) ?? String(text.prefix { $0 != " " })
    }

    private static func words(_ text: Substring) -> String {
        String(text.drop { $0 == " " })
    }
}

extension MeshMember {
    /// Whether one of its names is this, whatever the case.
    fileprivate func has(_ name: String) -> Bool {
        names.contains { $0.lowercased() == name.lowercased() }
    }
}
