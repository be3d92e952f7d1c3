"""An advertisement of a client."""
import random

import dbus
from gi.repository import GLib

from bus_object import ADVERTISEMENT, PROPERTIES, error
from report import Report, full_uuid

CAPACITY = 31
LONGEST_NAME = 29


def uuid_bytes(uuid):
    is_short = uuid.startswith("0000") and uuid.endswith("-0000-1000-8000-00805f9b34fb")
    return 2 if is_short else 16


def random_address():
    numbers = [random.randrange(0x40)] + [random.randrange(256) for _ in range(5)]
    return ":".join("%02X" % number for number in numbers)


class Advertisement:
    """Invariant: `timer` is set while it is in the air."""

    def __init__(self, radio, adapter, client, path, properties):
        self.radio, self.adapter, self.client, self.path = radio, adapter, client, path
        self.properties = dict(properties)
        self.type = str(properties.get("Type", ""))
        self.report = self.read()
        self.timer = None
        self.remote = radio.connection.get_object(client, path, introspect=False)
        self.match = self.remote.connect_to_signal(
            "PropertiesChanged", self.changed, dbus_interface=PROPERTIES)

    def read(self):
        properties = self.properties
        if self.type not in ("peripheral", "broadcast"):
            raise error("Failed", "Failed to parse advertisement.")
        # A broadcast has an address of its own, and with each change a new one.
        if self.type == "broadcast":
            report = Report(random_address(), "random")
        else:
            report = Report(self.adapter.address, "public")
        report.uuids = [full_uuid(uuid) for uuid in properties.get("ServiceUUIDs", [])]
        report.service_data = {
            full_uuid(uuid): bytes(data)
            for uuid, data in properties.get("ServiceData", {}).items()}
        report.manufacturer_data = {
            int(company): bytes(data)
            for company, data in properties.get("ManufacturerData", {}).items()}
        if any(2 + uuid_bytes(uuid) + len(data) > CAPACITY
               for uuid, data in report.service_data.items()):
            raise error("Failed", "Failed to parse advertisement.")
        if self.size(report) > CAPACITY:
            raise error("Failed", "Failed to register advertisement")
        name = str(properties.get("LocalName", "")).encode()
        report.name = name[:LONGEST_NAME].decode(errors="ignore")
        return report

    def size(self, report):
        """Bytes of the advertisement itself; the name goes into the scan response."""
        lists = {}
        for uuid in report.uuids:
            lists[uuid_bytes(uuid)] = lists.get(uuid_bytes(uuid), 2) + uuid_bytes(uuid)
        return (
            (3 if self.properties.get("Discoverable") else 0)
            + sum(lists.values())
            + sum(2 + uuid_bytes(uuid) + len(data)
                  for uuid, data in report.service_data.items())
            + sum(4 + len(data) for data in report.manufacturer_data.values()))

    def changed(self, interface, changed, _):
        if interface != ADVERTISEMENT:
            return
        # What kind it is was asked once.
        self.properties.update(
            {name: value for name, value in changed.items() if name != "Type"})
        try:
            self.report = self.read()
        except dbus.exceptions.DBusException:
            return
        if self.timer:
            self.send()

    def send(self):
        """Puts it into the air, now and again at the interval."""
        self.silence()
        self.radio.broadcast(self)
        milliseconds = int(self.radio.interval * 1000)
        self.timer = GLib.timeout_add(milliseconds, self.radio.broadcast, self)

    def silence(self):
        if self.timer:
            GLib.source_remove(self.timer)
        self.timer = None

    def end(self, is_released=False):
        self.silence()
        self.match.remove()
        if is_released:
            dbus.Interface(self.remote, ADVERTISEMENT).Release(
                reply_handler=lambda: None, error_handler=lambda _: None)

    def description(self):
        report = self.report
        return {
            "adapter": self.adapter.name, "address": report.address, "type": self.type,
            "path": self.path, "name": report.name, "uuids": report.uuids,
            "manufacturerData": {
                str(company): data.hex()
                for company, data in report.manufacturer_data.items()},
        }
