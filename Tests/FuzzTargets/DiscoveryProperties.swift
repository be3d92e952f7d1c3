import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// Whatever is announced on the network, the hosts that come of it are safe to show, within the
/// limits, and those that a plain list of the announcements has.
enum DiscoveryProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        var table = ServiceTable(type: DiscoveredHost.serviceType)
        var announced: [ServiceTable.Key: [ServiceTable.Path: ServiceTable.Resolution?]] = [:]
        while !choices.isEmpty {
            let key = ServiceTable.Key(
                name: choices.pick(["Town Hall", "B", choices.text()]), domain: "local")
            let path = ServiceTable.Path(
                interface: Int32(clamping: choices.below(4)), isIPv6: choices.byte() % 2 == 0)
            try step(&choices, key, path, &table, &announced)
        }
        try compare(table.instances, announced)
        let hosts = table.instances.compactMap { DiscoveredHost($0) }
        for name in [nil, "Town Hall", "t", ""] {
            try checkChoice(HostChoice.decide(name: name, among: hosts, isSettled: true), hosts)
        }
    }

    private static func step(
        _ choices: inout Choices, _ key: ServiceTable.Key, _ path: ServiceTable.Path,
        _ table: inout ServiceTable,
        _ announced: inout [ServiceTable.Key: [ServiceTable.Path: ServiceTable.Resolution?]]
    ) throws(BrokenProperty) {
        switch choices.below(5) {
        case 0, 1:
            try expect(table.appeared(key, on: path), "the table is full too early")
            let isNew = announced[key]?[path] == nil
            if isNew { announced[key, default: [:]][path] = .some(nil) }
            let resolution = try resolution(&choices)
            table.resolved(key, on: path, resolution)
            announced[key]?[path] = .some(resolution)
        case 2:
            let resolution = try resolution(&choices)
            table.resolved(key, on: path, resolution)
            if announced[key]?[path] != nil { announced[key]?[path] = .some(resolution) }
        case 3:
            table.resolved(key, on: path, nil)
            if announced[key]?[path] != nil { announced[key]?[path] = .some(nil) }
        default:
            table.vanished(key, on: path)
            announced[key]?[path] = nil
        }
    }

    private static func resolution(
        _ choices: inout Choices
    ) throws(BrokenProperty) -> ServiceTable.Resolution {
        let isIPv6 = choices.byte() % 2 == 0
        let prefix: [UInt8] = isIPv6 ? choices.pick([[0xFE, 0x80], [0x20, 0x01], [0, 0]]) : []
        let length = isIPv6 ? 16 : 4
        let raw = (prefix + choices.stretch() + [UInt8](repeating: 0, count: length)).prefix(length)
        let address = IPAddress(bytes: Array(raw), scope: UInt32(clamping: choices.below(4)))!
        let strings = (0..<choices.below(70)).map { _ in choices.stretch() }
        return ServiceTable.Resolution(
            hostName: choices.text(), port: choices.short(), txt: try record(strings),
            address: ServiceInstance.Address(
                address: address, interface: choices.pick(["eth0", "docker0", "lo", ""])))
    }

    /// The record of `strings`, which reads the same when it is written and read again.
    private static func record(_ strings: [[UInt8]]) throws(BrokenProperty) -> TXTRecord {
        let record = TXTRecord(strings: strings)
        let keys = record.entries.map { $0.key.lowercased() }
        try expect(keys.count <= 64 && Set(keys).count == keys.count, "keys twice: \(keys)")
        try expect(!keys.contains(""), "an empty key")
        try expect(TXTRecord(strings: record.strings) == record, "read differently: \(record)")
        for entry in record.entries {
            var own = TXTRecord()
            own.set("event", entry.value ?? entry.key)
            try expect(own.strings[0].count <= Limits.txtStringBytes, "a string is too long")
        }
        return record
    }

    private static func compare(
        _ instances: [ServiceInstance],
        _ announced: [ServiceTable.Key: [ServiceTable.Path: ServiceTable.Resolution?]]
    ) throws(BrokenProperty) {
        let known = announced.filter { $0.value.values.contains { $0 != nil } }
        try expect(
            instances.map(\.name).sorted() == known.keys.map(\.name).sorted(),
            "\(instances.map(\.name)) where \(known.keys) are announced")
        for instance in instances {
            let paths = known[ServiceTable.Key(name: instance.name, domain: instance.domain)] ?? [:]
            let addresses = Set(paths.values.compactMap { $0?.address })
            try expect(Set(instance.addresses) == addresses, "addresses of \(instance)")
            try expect(instance.addresses.count == addresses.count, "an address twice")
            try checkHost(instance)
            try checkHeld(instance)
        }
    }

    private static func checkHost(_ instance: ServiceInstance) throws(BrokenProperty) {
        guard let host = DiscoveredHost(instance) else {
            return try expect(
                instance.port == 0 || instance.addresses.isEmpty, "left out: \(instance)")
        }
        try checkTexts(host)
        let announced = Set(instance.addresses.map { Endpoint($0.address, port: instance.port) })
        try expect(
            !host.endpoints.isEmpty && host.endpoints.count <= Limits.addressesPerHost
                && Set(host.endpoints).count == host.endpoints.count
                && announced.isSuperset(of: host.endpoints), "endpoints \(host.endpoints)")
    }

    /// The same announcement, of one who holds an event.
    private static func checkHeld(_ instance: ServiceInstance) throws(BrokenProperty) {
        var instance = instance
        instance.txt.set("eid", "963435F3-1DC9-4DEF-BF99-59A085B55C03")
        instance.txt.set("event", instance.txt["event"] ?? instance.name)
        guard let event = DiscoveredHost(holder: instance) else {
            let isNameless = instance.txt["event"]?.allSatisfy(\.isWhitespace) == true
            return try expect(
                instance.port == 0 || instance.addresses.isEmpty || isNameless,
                "left out: \(instance)")
        }
        try checkTexts(event)
        try expect(event.session == "963435f3-1dc9-4def-bf99-59a085b55c03", "\(event)")
        try expect(SafeTextProperties.isHarmless(event.id), "not safe to show: \(event.id)")
        let announced = Set(instance.addresses.map { Endpoint($0.address, port: instance.port) })
        try expect(
            event.isHeldOnly && event.holders.count <= Limits.addressesPerNode
                && Set(event.holders).count == event.holders.count
                && announced.isSuperset(of: event.holders), "holders \(event.holders)")
    }

    private static func checkTexts(_ host: DiscoveredHost) throws(BrokenProperty) {
        let texts = [
            (host.instanceName ?? "", Limits.instanceNameBytes),
            (host.eventName, Limits.eventNameBytes),
            (host.deviceName ?? "", Limits.deviceNameBytes), (host.session ?? "", 36),
            (host.security, 16), (host.hostName ?? "", 255),
        ]
        for (text, limit) in texts {
            try expect(SafeTextProperties.isHarmless(text), "not safe to show: \(text)")
            try expect(text.utf8.count <= limit, "\(text) is longer than \(limit) bytes")
        }
    }

    private static func checkChoice(
        _ choice: HostChoice, _ hosts: [DiscoveredHost]
    ) throws(BrokenProperty) {
        switch choice {
        case .wait: break
        case .join(let host): try expect(hosts.contains(host), "joins \(host)")
        case .choose(let some):
            try expect(some.count > 1 && some.allSatisfy(hosts.contains), "offers \(some)")
        }
    }
}
