"""What an adapter hears of an advertisement and its scan response."""
import dataclasses

import dbus


def full_uuid(uuid):
    """A UUID in lower case with all of its 128 bits."""
    uuid = str(uuid).lower()
    return uuid if len(uuid) == 36 else "%08x-0000-1000-8000-00805f9b34fb" % int(uuid, 16)


def as_bytes(data):
    return dbus.Array([dbus.Byte(each) for each in data], signature="y", variant_level=1)


@dataclasses.dataclass
class Report:
    address: str
    address_type: str = "random"
    name: str = ""
    uuids: list = dataclasses.field(default_factory=list)
    service_data: dict = dataclasses.field(default_factory=dict)
    manufacturer_data: dict = dataclasses.field(default_factory=dict)
    rssi: int = -55
    # Properties in place of those that follow from the above, of whatever type.
    raw: dict = dataclasses.field(default_factory=dict)

    def news(self):
        """The properties of a Device1 that every report may change."""
        news = {"RSSI": dbus.Int16(self.rssi)}
        if self.service_data:
            news["ServiceData"] = dbus.Dictionary(
                {uuid: as_bytes(data) for uuid, data in self.service_data.items()},
                signature="sv")
        if self.manufacturer_data:
            news["ManufacturerData"] = dbus.Dictionary(
                {dbus.UInt16(company): as_bytes(data)
                 for company, data in self.manufacturer_data.items()}, signature="qv")
        if self.name:
            news["Name"] = news["Alias"] = self.name
        if self.uuids:
            news["UUIDs"] = dbus.Array(self.uuids, signature="s")
        return news

    def matches(self, wanted):
        """Whether a client's discovery filter lets it through. As measured, the UUIDs asked for
        are looked for in the list of UUIDs only, never among the keys of the service data."""
        uuids = [full_uuid(uuid) for uuid in wanted.get("UUIDs", [])]
        pattern = wanted.get("Pattern", "")
        return (
            (not uuids or any(uuid in self.uuids for uuid in uuids))
            and self.rssi >= wanted.get("RSSI", -128)
            and (self.address.startswith(pattern) or self.name.startswith(pattern))
            and wanted.get("Transport") != "bredr")
