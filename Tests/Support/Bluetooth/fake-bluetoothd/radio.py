"""The air between all adapters."""
from adapter import Adapter
from bus_object import ObjectManager


class Radio:
    def __init__(self, connection, interval, forget):
        self.connection, self.interval, self.forget = connection, interval, forget
        self.manager = ObjectManager(connection)
        self.adapters = {}

    def add_adapter(self, name):
        address = "00:FA:CE:00:00:%02X" % int(name.removeprefix("hci"))
        self.adapters[name] = Adapter(self, name, address)

    def remove_adapter(self, name):
        self.adapters.pop(name).unplug()

    def broadcast(self, advertisement):
        """All but the sender hear it: an adapter does not hear itself."""
        for adapter in list(self.adapters.values()):
            if adapter is not advertisement.adapter:
                adapter.hear(advertisement.report)
        return True

    def advertisements(self):
        return [
            each for adapter in self.adapters.values()
            for each in adapter.advertisements.values()]

    def release_everything(self):
        for adapter in self.adapters.values():
            adapter.end_advertisements(is_released=True)
