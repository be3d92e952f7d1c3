"""What every object of bluetoothd has: properties, and a place below the object manager."""
import dbus
import dbus.service

PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
ADAPTER = "org.bluez.Adapter1"
ADVERTISING_MANAGER = "org.bluez.LEAdvertisingManager1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
DEVICE = "org.bluez.Device1"


def error(name, text):
    return dbus.exceptions.DBusException(text, name="org.bluez.Error." + name)


class ObjectManager(dbus.service.Object):
    """The root object, which tells of all others."""

    def __init__(self, connection):
        self.objects = {}
        super().__init__(connection, "/")

    @dbus.service.method(OBJECT_MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        objects = {dbus.ObjectPath(path): each.all() for path, each in self.objects.items()}
        return dbus.Dictionary(objects, signature="oa{sa{sv}}")

    @dbus.service.signal(OBJECT_MANAGER, signature="oa{sa{sv}}")
    def InterfacesAdded(self, path, interfaces):
        pass

    @dbus.service.signal(OBJECT_MANAGER, signature="oas")
    def InterfacesRemoved(self, path, interfaces):
        pass


class BusObject(dbus.service.Object):
    """An object with `interfaces`, a dictionary of the properties of each."""

    def __init__(self, manager, path, interfaces):
        self.manager, self.path, self.interfaces = manager, path, interfaces
        super().__init__(manager.connection, path)
        manager.objects[path] = self
        manager.InterfacesAdded(path, self.all())

    def all(self):
        return dbus.Dictionary(
            {name: dbus.Dictionary(values, signature="sv")
             for name, values in self.interfaces.items()}, signature="sa{sv}")

    def change(self, interface, values):
        self.interfaces[interface].update(values)
        self.PropertiesChanged(
            interface, dbus.Dictionary(values, signature="sv"), dbus.Array([], signature="s"))

    def remove(self):
        del self.manager.objects[self.path]
        self.manager.InterfacesRemoved(self.path, dbus.Array(self.interfaces, signature="s"))
        self.remove_from_connection()

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return dbus.Dictionary(self.interfaces.get(interface, {}), signature="sv")

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        try:
            return self.interfaces[interface][name]
        except KeyError:
            raise dbus.exceptions.DBusException(
                "No such property", name="org.freedesktop.DBus.Error.InvalidArgs") from None

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass
