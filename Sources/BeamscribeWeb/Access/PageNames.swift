import BeamscribeCore
import BeamscribeIO

/// The names by which browsers may ask for the page.
///
/// Whoever owns a name can let it lead to this machine, after his own page was loaded by that name;
/// to a browser both are then the same site, and his page can read this one (DNS rebinding). He
/// cannot do that with an address, nor with names that only this machine or its network gives.
struct PageNames: Sendable {
    private let names: Set<String>
    /// This machine's name, without a domain.
    private let machine: String

    /// - Parameters:
    ///   - machine: this machine's name.
    ///   - given: names that the operator has given, and those of a certificate, which may begin with
    ///     `*.` (RFC 6125, section 6.4.3).
    init(machine: String, given: [String] = []) {
        let name = Self.plain(machine)
        self.machine = name.split(separator: ".").first.map(String.init) ?? name
        names = Set(given.map(Self.plain) + [name, self.machine, "localhost"])
    }

    /// Whether a request's Host is one of the page's names. The port may be any: a proxy has another.
    func include(_ authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        if IPAddress(host) != nil { return true }
        let name = Self.plain(host)
        return names.contains(name) || isLocalName(name) || hasWildcard(for: name)
    }

    /// `NAME.local`, or `NAME-2.local`, as Avahi calls this machine where another has its name.
    private func isLocalName(_ name: String) -> Bool {
        guard name.hasSuffix(".local"), name.hasPrefix(machine) else { return false }
        let rest = name.dropFirst(machine.count).dropLast(".local".count)
        guard rest.first == "-" else { return rest.isEmpty }
        return rest.count > 1 && rest.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }

    private func hasWildcard(for name: String) -> Bool {
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return names.contains("*" + name[dot...])
    }

    /// The host of `host`, `host:port`, `[address]` or `[address]:port`; nil for what is none of
    /// these.
    private static func host(of authority: String) -> String? {
        let bytes = Array(authority.utf8)
        guard !bytes.isEmpty, bytes.count <= 300, bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        if bytes[0] == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), isPort(bytes[(end + 1)...])
            else { return nil }
            let address = String(decoding: bytes[1..<end], as: UTF8.self)
            return IPAddress(address).map { $0.isIPv4 } == false ? address : nil
        }
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
        guard end > 0, isPort(bytes[end...]) else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let colon = bytes.first else { return true }
        return colon == UInt8(ascii: ":") && bytes.count <= 6
            && bytes.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    /// In small letters, without the dot that ends a full name.
    private static func plain(_ name: String) -> String {
        let name = name.hasSuffix(".") ? String(name.dropLast()) : name
        let small = name.utf8.map { (65...90).contains($0) ? $0 &+ 32 : $0 }
        return String(decoding: small, as: UTF8.self)
    }
}
