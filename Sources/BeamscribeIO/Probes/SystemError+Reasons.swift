internal import Glibc

extension SystemError {
    /// Whether somebody else could do it.
    public var isPermission: Bool { code == EACCES || code == EPERM }

    /// Whether the address is not this machine's, or not yet: an IPv6 address is looked for on the
    /// network for a second or two before it may be used (RFC 4862, section 5.4).
    public var isAddressNotReady: Bool { code == EADDRNOTAVAIL }
}
