import BeamscribeIO

extension HostServer {
    /// Listens at `addresses`, or at all of both families for none, with one port.
    ///
    /// - Returns: where it listens, IPv4 first.
    func listen(
        on port: HostConfiguration.Port, at addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        let wanted: [UInt16] =
            switch port {
            case .number(let number): [number]
            case .standard: [HostConfiguration.standardNumber, 0]
            case .preferred(let number): [number, HostConfiguration.standardNumber, 0]
            }
        for number in wanted.dropLast() {
            do throws(SystemError) {
                return try listen(port: number, at: addresses)
            } catch {
                guard error.isAddressInUse else { throw error }
            }
        }
        return try listen(port: wanted[wanted.count - 1], at: addresses)
    }

    /// A free port of one address may be taken at the next, so another is looked for then.
    private func listen(
        port: UInt16, at addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        var attempts = port == 0 ? 8 : 1
        while true {
            attempts -= 1
            do throws(SystemError) {
                return addresses.isEmpty
                    ? try listenEverywhere(port: port)
                    : try listen(port: port, atEach: addresses)
            } catch {
                stopListening()
                guard attempts > 0, error.isAddressInUse else { throw error }
            }
        }
    }

    private func listen(
        port: UInt16, atEach addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        var all: [Endpoint] = []
        for address in addresses {
            let given = all.first?.port ?? port
            all.append(try listen(at: Endpoint(address, port: given)))
        }
        return all
    }

    private func listenEverywhere(port: UInt16) throws(SystemError) -> [Endpoint] {
        let four = try listen(at: Endpoint(.anyIPv4, port: port))
        do throws(SystemError) {
            return [four, try listen(at: Endpoint(.anyIPv6, port: four.port))]
        } catch {
            // A machine without IPv6 is a machine; a port that is taken there is not ours.
            if error.isAddressInUse { throw error }
            return [four]
        }
    }
}
