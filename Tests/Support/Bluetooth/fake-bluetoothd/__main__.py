"""A stand-in for bluetoothd on a D-Bus of its own: adapters that share one simulated radio.

Usage: python3 fake-bluetoothd ADDRESS [--adapters N] [--interval SECONDS] [--forget SECONDS]

It behaves to its clients as bluetoothd 5.66 was measured to (what fits into an advertisement, the
names of errors, filters, which devices are remembered, what it does when a client leaves).

Says "ready" once it has its name. Takes commands on standard input, one JSON object a line, and
answers each on standard output (commands.py). Ends with its input, with the bus, and on SIGTERM, on
which it takes back its clients' advertisements as bluetoothd does.

Needs Debian's python3-dbus and python3-gi.
"""
import argparse
import signal
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

from commands import CommandReader
from radio import Radio


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--adapters", type=int, default=1)
    parser.add_argument("--interval", type=float, default=1.28,
                        help="seconds between two repeats of an advertisement")
    parser.add_argument("--forget", type=float, default=30,
                        help="seconds for which a device outlives its discovery")
    return parser.parse_args()


def main():
    settings = options()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    connection = dbus.bus.BusConnection(settings.address)
    connection.call_on_disconnection(lambda _: loop.quit())
    radio = Radio(connection, settings.interval, settings.forget)
    for number in range(settings.adapters):
        radio.add_adapter("hci%d" % number)
    name = dbus.service.BusName("org.bluez", connection, do_not_queue=True)

    def leave():
        radio.release_everything()
        connection.flush()
        loop.quit()

    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, leave)
    CommandReader(radio, at_end=loop.quit)
    print("ready", flush=True)
    loop.run()
    del name


sys.dont_write_bytecode = True
main()
