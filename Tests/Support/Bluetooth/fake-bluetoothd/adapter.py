"""An adapter: sends its clients' advertisements, and searches for them."""
import dbus
import dbus.service
from gi.repository import GLib

from advertisement import Advertisement
from bus_object import ADAPTER, ADVERTISEMENT, ADVERTISING_MANAGER, PROPERTIES, BusObject, error
from device import Device

SLOTS = 3
FILTERS = ("UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern")


class Adapter(BusObject):
    """Invariant: `searches` has the filter of each client that searches; while there is none, or
    the power is off, nothing is heard."""

    def __init__(self, radio, name, address):
        self.radio, self.name, self.address = radio, name, address
        self.advertisements = {}
        self.filters, self.searches, self.devices = {}, {}, {}
        self.taken_by_others = 0
        self.busy = 0
        self.watches = {}
        super().__init__(radio.manager, "/org/bluez/" + name, {
            ADAPTER: {
                "Address": address, "AddressType": "public", "Name": "fake", "Alias": "fake",
                "Powered": dbus.Boolean(True), "Discovering": dbus.Boolean(False),
                "UUIDs": dbus.Array([], signature="s"),
                "Roles": dbus.Array(["central", "peripheral"], signature="s"),
            },
            ADVERTISING_MANAGER: {
                "ActiveInstances": dbus.Byte(0), "SupportedInstances": dbus.Byte(SLOTS),
            },
        })

    @property
    def is_powered(self):
        return bool(self.interfaces[ADAPTER]["Powered"])

    @property
    def is_listening(self):
        return bool(self.interfaces[ADAPTER]["Discovering"])

    # Power

    def power(self, is_on):
        if is_on == self.is_powered:
            return
        self.change(ADAPTER, {"Powered": dbus.Boolean(is_on)})
        for advertisement in self.advertisements.values():
            advertisement.send() if is_on else advertisement.silence()
        if not is_on:
            self.searches.clear()
            self.searches_changed()

    @dbus.service.method(PROPERTIES, in_signature="ssv")
    def Set(self, interface, name, value):
        if (interface, name) == (ADAPTER, "Powered"):
            self.power(bool(value))

    def unplug(self):
        self.end_advertisements(is_released=True)
        for watch in self.watches.values():
            watch.cancel()
        self.forget_devices()
        self.remove()

    # Clients

    def watch(self, client):
        """A client's advertisements and searches end when it leaves the bus."""
        if client not in self.watches:
            self.watches[client] = self.connection.watch_name_owner(
                client, lambda owner: None if owner else self.left(client))

    def left(self, client):
        self.watches.pop(client).cancel()
        for key in [key for key in self.advertisements if key[0] == client]:
            self.advertisements.pop(key).end()
        self.count_slots()
        self.filters.pop(client, None)
        if self.searches.pop(client, None) is not None:
            self.searches_changed()

    # Advertising

    def occupy(self, count):
        """Lets programs that are not there have so many of the slots."""
        self.taken_by_others = count
        self.count_slots()

    def count_slots(self):
        used = len(self.advertisements) + self.taken_by_others
        values = {
            "ActiveInstances": dbus.Byte(used),
            "SupportedInstances": dbus.Byte(max(0, SLOTS - used)),
        }
        if any(self.interfaces[ADVERTISING_MANAGER][name] != value
               for name, value in values.items()):
            self.change(ADVERTISING_MANAGER, values)

    def end_advertisements(self, is_released):
        for advertisement in self.advertisements.values():
            advertisement.end(is_released)
        self.advertisements.clear()

    @dbus.service.method(ADVERTISING_MANAGER, in_signature="oa{sv}", sender_keyword="client",
                         async_callbacks=("succeed", "fail"))
    def RegisterAdvertisement(self, path, options, succeed, fail, client=None):
        if (client, path) in self.advertisements:
            return fail(error("AlreadyExists", "Already Exists"))
        if len(self.advertisements) + self.taken_by_others >= SLOTS:
            return fail(error("NotPermitted", "Maximum advertisements reached"))

        def described(properties):
            try:
                self.register(client, path, properties)
            except dbus.exceptions.DBusException as reason:
                return fail(reason)
            succeed()

        remote = self.connection.get_object(client, path, introspect=False)
        dbus.Interface(remote, PROPERTIES).GetAll(
            ADVERTISEMENT, reply_handler=described,
            error_handler=lambda _: fail(error("Failed", "Failed to parse advertisement.")))

    def register(self, client, path, properties):
        if not self.is_powered:
            raise error("Failed", "Failed to register advertisement")
        advertisement = Advertisement(self.radio, self, client, path, properties)
        self.advertisements[(client, path)] = advertisement
        self.watch(client)
        self.count_slots()
        # The client is told before anybody hears it.
        GLib.idle_add(self.begin_sending, (client, path), advertisement)

    def begin_sending(self, key, advertisement):
        if self.advertisements.get(key) is advertisement and self.is_powered:
            advertisement.send()

    @dbus.service.method(ADVERTISING_MANAGER, in_signature="o", sender_keyword="client")
    def UnregisterAdvertisement(self, path, client=None):
        if (client, path) not in self.advertisements:
            raise error("DoesNotExist", "Does Not Exist")
        self.advertisements.pop((client, path)).end()
        self.count_slots()

    # Searching

    @dbus.service.method(ADAPTER, in_signature="a{sv}", sender_keyword="client")
    def SetDiscoveryFilter(self, wanted, client=None):
        if any(name not in FILTERS for name in wanted):
            raise error("InvalidArguments", "Invalid arguments in method call")
        self.filters[client] = wanted
        self.watch(client)
        if client in self.searches:
            self.searches[client] = wanted

    @dbus.service.method(ADAPTER, sender_keyword="client")
    def StartDiscovery(self, client=None):
        if not self.is_powered:
            raise error("NotReady", "Resource Not Ready")
        if client in self.searches or self.busy > 0:
            self.busy -= 1
            raise error("InProgress", "Operation already in progress")
        self.searches[client] = self.filters.get(client, {})
        self.watch(client)
        self.searches_changed()

    @dbus.service.method(ADAPTER, sender_keyword="client")
    def StopDiscovery(self, client=None):
        if client not in self.searches:
            raise error("Failed", "No discovery started")
        del self.searches[client]
        self.searches_changed()

    @dbus.service.method(ADAPTER, in_signature="o")
    def RemoveDevice(self, path):
        for address, device in self.devices.items():
            if device.path == path:
                return self.forget_device(address)
        raise error("DoesNotExist", "Does Not Exist")

    def searches_changed(self):
        is_searching = bool(self.searches)
        if self.is_listening != is_searching:
            self.change(ADAPTER, {"Discovering": dbus.Boolean(is_searching)})
        if not is_searching and self.devices:
            GLib.timeout_add(int(self.radio.forget * 1000), self.forget_unsought)

    def rest(self):
        self.change(ADAPTER, {"Discovering": dbus.Boolean(False)})

    def forget_unsought(self):
        if not self.searches:
            self.forget_devices()
        return False

    def forget_devices(self):
        for address in list(self.devices):
            self.forget_device(address)

    def forget_device(self, address):
        self.devices.pop(address).remove()

    def hear(self, report):
        if not any(report.matches(wanted) for wanted in self.searches.values()):
            return
        self.note(report)

    def note(self, report):
        """As if a client of no filter had searched: bluetoothd tells everybody."""
        device = self.devices.get(report.address)
        if device is None:
            self.devices[report.address] = Device(self.radio.manager, self.path, report)
        else:
            device.heard(report, any(
                wanted.get("DuplicateData", True) for wanted in self.searches.values()))
