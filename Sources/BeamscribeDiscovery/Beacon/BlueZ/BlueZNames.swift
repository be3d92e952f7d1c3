/// What things are called at BlueZ (doc/ of its sources: adapter-api, advertising-api, device-api)
/// and at the bus itself.
enum BlueZNames {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let device = "org.bluez.Device1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let bus = "org.freedesktop.DBus"

    /// The rule for signals of a kind, of which the first argument is `first`.
    static func rule(
        from sender: String = service, _ interface: String, _ member: String, first: String? = nil
    ) -> String {
        let rule = "type='signal',sender='\(sender)',interface='\(interface)',member='\(member)'"
        return first.map { rule + ",arg0='\($0)'" } ?? rule
    }
}
