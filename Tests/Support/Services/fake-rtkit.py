"""A stand-in for RealtimeKit on a D-Bus of a test's own: says who asks for what, and grants it, or not.

    fake-rtkit.py ADDRESS grant|refuse
"""

import sys

import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH = "org.freedesktop.RealtimeKit1", "/org/freedesktop/RealtimeKit1"


class Refused(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.AccessDenied"


class RealtimeKit(dbus.service.Object):
    @dbus.service.method(NAME, in_signature="tu")
    def MakeThreadRealtime(self, thread, priority):
        print(f"thread {thread} priority {priority}", flush=True)
        if sys.argv[2] != "grant":
            raise Refused("not for you")


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
name = dbus.service.BusName(NAME, bus)
service = RealtimeKit(bus, PATH)
print("ready", flush=True)
GLib.MainLoop().run()
