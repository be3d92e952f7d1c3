extension BusValue {
    /// Names and values, `a{sv}`, as nearly everything in BlueZ is.
    static func properties(_ properties: [String: BusValue]) -> BusValue {
        let pairs = properties.map { (BusValue.string($0.key), BusValue.variant($0.value)) }
        return .dictionary(
            Dictionary(pairs) { _, last in last }, key: "s", value: "v")
    }

    /// An array of strings, `as`.
    static func strings(_ strings: [String]) -> BusValue {
        .array(strings.map { .string($0) }, of: "s")
    }

    /// What is in it, if it is a variant; else itself.
    var content: BusValue {
        if case .variant(let value) = self { value } else { self }
    }

    /// The text of a string or of an object path.
    var text: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    /// The texts of an array of strings; nil when one is something else.
    var texts: [String]? {
        guard case .array(let values, _) = self else { return nil }
        let texts = values.compactMap(\.text)
        return texts.count == values.count ? texts : nil
    }

    /// A dictionary whose keys are texts, with the variants' content for its values.
    var named: [String: BusValue]? {
        guard case .dictionary(let entries, let key, _) = self, key == "s" || key == "o" else {
            return nil
        }
        let pairs = entries.compactMap { entry in entry.key.text.map { ($0, entry.value.content) } }
        return Dictionary(pairs) { _, last in last }
    }
}
