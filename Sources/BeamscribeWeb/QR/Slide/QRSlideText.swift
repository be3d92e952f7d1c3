public struct QRSlideText: Equatable, Sendable {
    /// What there is to get, in two lines.
    public let heading = ["Captions", "on your phone"]
    /// What to do, in the order of doing it; each in lines of at most 26 characters.
    public let steps: [[String]]
    /// The address in printable ASCII, without a token.
    public let address: String
    /// What must be known of the address: that it is not enough.
    public let warning: String?

    /// - Parameter url: what the code holds. All behind `#` is the event's token, which the
    ///   browser keeps and nobody could type.
    public init(url: String) {
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let hasToken = parts.count == 2 && !parts[1].isEmpty
        address = Self.typed(parts.first ?? "")
        warning = hasToken ? "Scan the code: the address alone does not open this event." : nil
        let scanning =
            hasToken
            ? ["Scan this code", "with your camera."]
            : ["Scan this code", "with your camera, or type", "the address below."]
        steps = [
            ["Join the same Wi-Fi", "as this event. It does not", "work over mobile data."],
            scanning,
        ]
    }

    /// The address as one would type it: no slash at the end of a host's name or number. What is
    /// no printable ASCII is percent-encoded (RFC 3986, section 2.1): the slide's font does not
    /// have it.
    private static func typed(_ address: Substring) -> String {
        var text = ""
        for byte in address.utf8 {
            if (0x21...0x7E).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        let slashes = text.count { $0 == "/" }
        return slashes == 3 && text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
