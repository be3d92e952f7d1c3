"""What a test has befall bluetoothd, by commands on standard input.

Each line is a JSON object with a "number", the name of a "command" and what that needs; the line
that answers it has the number and a "result", or what has "failed".
"""
import json
import os
import sys

from gi.repository import GLib

from report import Report, full_uuid

READ_SIZE = 65536


class CommandReader:
    def __init__(self, radio, at_end):
        self.radio, self.at_end = radio, at_end
        self.unfinished = b""
        GLib.io_add_watch(
            sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.read)

    def read(self, descriptor, _):
        data = os.read(descriptor, READ_SIZE)
        if not data:
            self.at_end()
            return False
        *lines, self.unfinished = (self.unfinished + data).split(b"\n")
        for line in lines:
            self.answer(json.loads(line))
        return True

    def answer(self, request):
        answer = {"number": request["number"]}
        try:
            answer["result"] = getattr(self, "do_" + request["command"])(request)
        except Exception as reason:  # Whatever it is, the test is to read it.
            answer["failed"] = repr(reason)
        print(json.dumps(answer), flush=True)

    def adapter(self, request):
        return self.radio.adapters[request["adapter"]]

    def do_power(self, request):
        """Switches an adapter on or off."""
        self.adapter(request).power(request["on"])

    def do_remove(self, request):
        """Unplugs an adapter."""
        self.radio.remove_adapter(request["adapter"])

    def do_add(self, request):
        """Plugs an adapter in, which is powered as bluetoothd's AutoEnable has it."""
        self.radio.add_adapter(request["adapter"])

    def do_occupy(self, request):
        """Lets other programs use so many of an adapter's advertisements."""
        self.adapter(request).occupy(request["count"])

    def do_busy(self, request):
        """Refuses so many searches: one that an earlier bluetoothd began has not run out."""
        self.adapter(request).busy = request["count"]

    def do_rest(self, request):
        """Ends the searching, and tells those who search nothing but that it has."""
        self.adapter(request).rest()

    def do_listening(self, request):
        """The adapters that listen."""
        return [adapter.name for adapter in self.radio.adapters.values() if adapter.is_listening]

    def do_hear(self, request):
        """Lets an adapter hear a stranger, or note it whoever searches for what."""
        adapter, fields = self.adapter(request), request["report"]
        report = Report(
            address=fields["address"], address_type=fields["addressType"], name=fields["name"],
            uuids=[full_uuid(uuid) for uuid in fields["uuids"]],
            manufacturer_data={
                int(company): bytes.fromhex(data)
                for company, data in fields["manufacturerData"].items()},
            rssi=fields["rssi"], raw=json.loads(fields["raw"]))
        adapter.note(report) if fields["isUnfiltered"] else adapter.hear(report)

    def do_forget(self, request):
        """Forgets a device."""
        self.adapter(request).forget_device(request["address"])

    def do_advertisements(self, request):
        """What is registered now."""
        return [each.description() for each in self.radio.advertisements()]

    def do_searches(self, request):
        """The adapters by which clients search now, one for each search."""
        return [
            adapter.name for adapter in self.radio.adapters.values()
            for _ in adapter.searches]
