import BeamscribeCore
import BeamscribeIO
import CAvahi
import Glibc

/// Finds out where one announcement leads, and goes on telling when that changes. Lives on the Avahi
/// thread.
///
/// Invariant: `resolver` is there while its client is.
final class AvahiResolver {
    /// Whether the last answer was that there is none.
    private(set) var hasFailed = false
    private(set) var hasAnswered = false

    private var resolver: OpaquePointer?
    private let handler: (ServiceTable.Resolution?) -> Void

    /// - Parameter handler: told each resolution; nil when nobody answers for the service.
    init(
        _ client: OpaquePointer, _ key: ServiceTable.Key, type: String, _ path: ServiceTable.Path,
        _ handler: @escaping (ServiceTable.Resolution?) -> Void
    ) {
        self.handler = handler
        let family = Int32(clamping: path.isIPv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET)
        let context = Unmanaged.passUnretained(self).toOpaque()
        resolver = avahi_service_resolver_new(
            client, path.interface, family, key.name, type, key.domain, family,
            AvahiLookupFlags(0),
            { _, interface, _, event, _, _, _, host, address, port, txt, _, context in
                guard let context else { return }
                let resolver = Unmanaged<AvahiResolver>.fromOpaque(context).takeUnretainedValue()
                guard event == AVAHI_RESOLVER_FOUND, let address, let host else {
                    return resolver.fail()
                }
                resolver.found(
                    AvahiResolver.ipAddress(address.pointee, interface), interface,
                    String(cString: host), port, AvahiResolver.strings(txt))
            }, context)
        hasFailed = resolver == nil
        hasAnswered = hasFailed
    }

    deinit {
        if let resolver { avahi_service_resolver_free(resolver) }
    }

    /// The client goes, and takes the resolver along.
    func forget() {
        resolver = nil
    }

    private func fail() {
        hasFailed = true
        hasAnswered = true
        handler(nil)
    }

    private func found(
        _ address: IPAddress?, _ interface: Int32, _ host: String, _ port: UInt16,
        _ strings: [[UInt8]]
    ) {
        guard let address else { return }
        hasFailed = false
        hasAnswered = true
        let name = Interfaces.name(of: UInt32(bitPattern: interface)) ?? ""
        handler(
            ServiceTable.Resolution(
                hostName: host, port: port, txt: TXTRecord(strings: strings),
                address: ServiceInstance.Address(address: address, interface: name)))
    }

    private static func ipAddress(_ address: AvahiAddress, _ interface: Int32) -> IPAddress? {
        if address.proto == Int32(clamping: AVAHI_PROTO_INET) {
            let bytes = withUnsafeBytes(of: address.data.ipv4.address) { Array($0) }
            return IPAddress(bytes: bytes)
        }
        let bytes = withUnsafeBytes(of: address.data.ipv6.address) { Array($0) }
        return IPAddress(bytes: bytes, scope: UInt32(bitPattern: interface))
    }

    private static func strings(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
        sequence(first: list, next: { avahi_string_list_get_next($0) }).prefix { $0 != nil }.map {
            let size = avahi_string_list_get_size($0)
            let text = avahi_string_list_get_text($0)
            return Array(UnsafeBufferPointer(start: text, count: size))
        }
    }
}
