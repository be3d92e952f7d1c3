/// What an adapter hears of a stranger.
public struct FakeReport: Encodable, Sendable {
    public var address: String
    public var addressType = "random"
    public var name = ""
    public var uuids: [String] = []
    /// Company identifiers in decimal digits, and bytes in hexadecimal ones.
    public var manufacturerData: [String: String] = [:]
    public var rssi = -60
    /// Whether it is noted although nobody has asked for its like: another program searches for
    /// everything.
    public var isUnfiltered = false
    /// A JSON object with properties of its Device1, of whatever type, in place of the right ones.
    public var raw = "{}"

    public init(_ address: String) {
        self.address = address
    }
}
