/// What a key in a ``Picker`` asks for.
public enum PickerOutcome: Equatable, Sendable {
    /// This item is wanted.
    case chosen(id: String)
    /// The list is to be made again.
    case refresh
    /// Nothing is wanted.
    case cancelled
}
