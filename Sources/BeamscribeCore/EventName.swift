/// Names of events as people type them.
public enum EventName {
    /// Whether `wanted` means the event `name`: it is its name, or a beginning of it in any case.
    public static func matches(_ name: String, wanted: String) -> Bool {
        name == wanted || name.lowercased().hasPrefix(wanted.lowercased())
    }
}
