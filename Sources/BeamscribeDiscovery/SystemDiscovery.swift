public import BeamscribeIO

/// Discovery by avahi-daemon and bluetoothd.
public final class SystemDiscovery: Discovery {
    private let loop: EventLoop

    public init(on loop: EventLoop) {
        self.loop = loop
    }

    public func browser(for type: String) -> any ServiceBrowser {
        AvahiBrowser(type: type, on: loop)
    }

    public func advertiser(of advertisement: Advertisement) -> any ServiceAdvertiser {
        AvahiAdvertiser(advertisement, on: loop)
    }

    public func scanner(bus: String) -> any BeaconScanner {
        BlueZScanner(busAddress: bus, on: loop)
    }

    public func beaconAdvertiser(bus: String) -> any BeaconAdvertiser {
        BlueZAdvertiser(busAddress: bus, on: loop)
    }
}
