/// What a client of the fake bluetoothd advertises.
public struct FakeAdvertisement: Decodable, Equatable, Sendable {
    public var adapter: String
    public var address: String
    /// The client's object.
    public var path: String
    /// "peripheral" or "broadcast".
    public var type: String
    public var name: String
    public var uuids: [String]
    /// Company identifiers in decimal digits, and bytes in hexadecimal ones.
    public var manufacturerData: [String: String]
}
