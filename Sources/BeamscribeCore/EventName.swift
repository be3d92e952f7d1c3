/// Names of events as people type them.
public enum EventName {
    /// Whether `wanted` means the event `name`: it is its name, or a beginning of it in any case.
    public static func matches(_ name: String, wanted: String) -> Bool {
        name == wanted || name.lowercased().hasPrefix(wanted.lowercased())
    }

    /// Whether two announced names stand for one event: case and the width of blanks do not count,
    /// nor does the number that Avahi gives to a name which is taken ("Town Hall #2").
    public static func isSame(_ name: String, _ other: String) -> Bool {
        EventKey(withoutNumber(name)) == EventKey(withoutNumber(other))
    }

    private static func withoutNumber(_ name: String) -> String {
        let digits = name.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
        let rest = name.utf8.dropLast(digits)
        guard digits > 0, rest.suffix(2).elementsEqual(" #".utf8) else { return name }
        return String(decoding: rest.dropLast(2), as: UTF8.self)
    }
}
