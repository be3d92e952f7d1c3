/// How a machine finds what is around it, and lets itself be found. Belongs to a loop's thread.
///
/// ``SystemDiscovery`` asks Avahi and BlueZ.
public protocol Discovery: AnyObject {
    /// Looks for services of a type, `_beamscribe._tcp` say.
    func browser(for type: String) -> any ServiceBrowser
    func advertiser(of advertisement: Advertisement) -> any ServiceAdvertiser
    /// - Parameter bus: the D-Bus address by which BlueZ is reached.
    func scanner(bus: String) -> any BeaconScanner
    /// - Parameter bus: the D-Bus address by which BlueZ is reached.
    func beaconAdvertiser(bus: String) -> any BeaconAdvertiser
}
