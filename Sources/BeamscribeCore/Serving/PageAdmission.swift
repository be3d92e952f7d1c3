/// Whose pages for browsers phones are sent to, where the host itself is not heard any more. A browser
/// checks no signature: it believes the page that it reads.
public enum PageAdmission: Equatable, Sendable {
    /// Nobody's.
    case nobody
    /// Those of these addresses, without ports, as `192.0.2.7` or `2001:db8::7`.
    case addresses(Set<String>)
    /// Those of everybody who serves the event.
    case everybody

    /// - Parameter place: where somebody listens: `192.0.2.7:23267` or `[2001:db8::7]:23267`.
    func admits(_ place: String) -> Bool {
        switch self {
        case .nobody: return false
        case .everybody: return true
        case .addresses(let addresses):
            return Self.address(of: place).map(addresses.contains) ?? false
        }
    }

    /// The address of a place, without its port.
    static func address(of place: String) -> String? {
        guard let end = place.lastIndex(of: ":") else { return nil }
        let address = place[..<end]
        let isBracketed = address.first == "[" && address.last == "]"
        return String(isBracketed ? address.dropFirst().dropLast() : address)
    }
}
