extension FakeBluetooth {
    /// Switches an adapter on or off.
    public func power(_ adapter: String, on isOn: Bool) async throws {
        try await command("power", Values(adapter: adapter, on: isOn))
    }

    /// Unplugs an adapter.
    public func removeAdapter(_ adapter: String) async throws {
        try await command("remove", Values(adapter: adapter))
    }

    /// Plugs an adapter in; it is switched on.
    public func addAdapter(_ adapter: String) async throws {
        try await command("add", Values(adapter: adapter))
    }

    /// Lets other programs send so many of the three advertisements that an adapter can.
    public func occupy(_ adapter: String, slots: Int) async throws {
        try await command("occupy", Values(adapter: adapter, count: slots))
    }

    /// Lets an adapter hear a stranger once.
    public func hear(_ report: FakeReport, by adapter: String = "hci0") async throws {
        try await command("hear", Values(adapter: adapter, report: report))
    }

    /// Lets an adapter refuse so many searches, as if another were still under way.
    public func refuseSearches(_ count: Int, at adapter: String = "hci0") async throws {
        try await command("busy", Values(adapter: adapter, count: count))
    }

    /// Lets an adapter listen no longer, while its searches seem to go on.
    public func rest(_ adapter: String = "hci0") async throws {
        try await command("rest", Values(adapter: adapter))
    }

    /// The adapters that listen.
    public func listening() async throws -> [String] {
        guard case .names(let names)? = try await command("listening") else { return [] }
        return names
    }

    /// Lets an adapter forget a device.
    public func forget(_ address: String, at adapter: String = "hci0") async throws {
        try await command("forget", Values(adapter: adapter, address: address))
    }

    /// What bluetoothd's clients advertise.
    public func advertisements() async throws -> [FakeAdvertisement] {
        guard case .advertisements(let all)? = try await command("advertisements") else {
            return []
        }
        return all
    }

    /// The adapters by which clients search, one for each search.
    public func searches() async throws -> [String] {
        guard case .names(let names)? = try await command("searches") else { return [] }
        return names
    }

    /// Lets bluetoothd hang: it takes calls and answers none. The bus does not notice.
    public func hang() {
        daemon?.suspend()
    }

    /// Ends that.
    public func recover() {
        daemon?.resume()
    }

    /// Lets the bus hang: it takes connections and answers none.
    public func hangBus() {
        bus?.suspend()
    }

    /// Ends that.
    public func recoverBus() {
        bus?.resume()
    }

    // MARK: Wire

    struct Values: Encodable {
        var adapter: String?
        var on: Bool?
        var count: Int?
        var address: String?
        var report: FakeReport?
    }

    struct Request: Encodable {
        var number: Int
        var command: String
        var values: Values

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(number, forKey: .number)
            try container.encode(command, forKey: .command)
            try values.encode(to: encoder)
        }

        private enum Key: CodingKey { case number, command }
    }

    struct Answer: Decodable {
        var number: Int
        var result: Result?
        var failed: String?

        enum Result: Decodable {
            case advertisements([FakeAdvertisement])
            case names([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let names = try? container.decode([String].self) {
                    self = .names(names)
                } else {
                    self = .advertisements(try container.decode([FakeAdvertisement].self))
                }
            }
        }
    }
}
