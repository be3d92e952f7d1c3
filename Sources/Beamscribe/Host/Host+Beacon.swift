import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// Being found by Bluetooth.
extension Host {
    func beginBeacon() {
        guard configuration.bluetooth != .nothing else { return }
        if configuration.bluetooth == .captions {
            do throws(SystemError) {
                channelPSM = try server.listenForChannels()
            } catch {
                news.push([.channelsFailed(error)])
            }
        }
        let advertiser = surroundings.discovery.beaconAdvertiser(
            bus: configuration.bluetoothBus)
        advertiser.handler = { [unowned self] event in
            switch event {
            case .advertising(let adapters):
                news.push([.beacon(adapters: adapters, takesGuests: channelPSM != nil)])
            case .unavailable(let trouble): news.push([.beaconFailed(trouble)])
            }
        }
        beaconAdvertiser = advertiser
        updateBeacon()
    }

    /// Says where the host is now, if that has changed.
    func updateBeacon() {
        guard let beaconAdvertiser, !isFinishing else { return }
        let advertisement = BeaconAdvertisement(
            eventName: configuration.eventName, payload: beaconPayload)
        guard advertisement != beacon else { return }
        beacon = advertisement
        beaconAdvertiser.advertise(advertisement)
    }

    private var beaconPayload: BeaconPayload {
        // A beacon has room for one address: the likeliest that another machine can reach.
        let address = joinable.map(\.address).first { $0.isIPv4 && !$0.isLoopback }
        return BeaconPayload(
            address: address, port: listening.first?.port ?? 0,
            sessionTag: BeaconPayload.sessionTag(of: configuration.session.wireName),
            channelPSM: channelPSM)
    }
}
