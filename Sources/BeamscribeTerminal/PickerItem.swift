/// One row of a ``Picker``.
public struct PickerItem: Equatable, Sendable {
    /// What the item is known by when the list changes.
    public let id: String
    /// What is read first.
    public let title: String
    /// What is shown behind the title if there is room.
    public let detail: String
    /// Whether it can be chosen. One that cannot is still shown; its detail says why.
    public let enabled: Bool

    /// An item.
    public init(id: String, title: String, detail: String = "", enabled: Bool = true) {
        self.id = id
        self.title = title
        self.detail = detail
        self.enabled = enabled
    }
}
