"""A device that an adapter has heard."""
import dbus

from bus_object import BusObject, DEVICE


class Device(BusObject):
    def __init__(self, manager, adapter_path, report):
        path = adapter_path + "/dev_" + report.address.replace(":", "_")
        properties = {
            "Address": report.address,
            "AddressType": report.address_type,
            "Alias": report.name or report.address.replace(":", "-"),
            "Adapter": dbus.ObjectPath(adapter_path),
            "Paired": dbus.Boolean(False),
            "Connected": dbus.Boolean(False),
            "UUIDs": dbus.Array([], signature="s"),
            **report.news(),
            **report.raw,
        }
        super().__init__(manager, path, {DEVICE: properties})

    def heard(self, report, tells_duplicates):
        """Tells what is new, and the data also when it is not if somebody wants duplicates."""
        old = self.interfaces[DEVICE]
        repeated = ("ServiceData", "ManufacturerData") if tells_duplicates else ()
        news = {**report.news(), **report.raw}
        changed = {
            name: value for name, value in news.items()
            if name in repeated or old.get(name) != value}
        if changed:
            self.change(DEVICE, changed)
