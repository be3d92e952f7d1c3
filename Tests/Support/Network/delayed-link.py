#!/usr/bin/env python3
"""A link that takes its time, where the kernel has no netem.

Usage: delayed-link.py ONE OTHER MILLISECONDS

Makes two TAP interfaces, ONE and OTHER, and copies every frame from each to the other after the
delay, in order. Says "ready" once both are up. Runs until it is killed; the interfaces go with it.
"""
import collections
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LARGEST_FRAME = 65600
FRAMES_UNDER_WAY = 20000


def tap(name):
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI)
    fcntl.ioctl(descriptor, TUNSETIFF, request)
    subprocess.run(["ip", "link", "set", name, "up"], check=True)
    return descriptor


def take(descriptor, under_way, due):
    while True:
        try:
            frame = os.read(descriptor, LARGEST_FRAME)
        except OSError:
            return
        if len(under_way) < FRAMES_UNDER_WAY:
            under_way.append((due, frame))


def main():
    one, other = tap(sys.argv[1]), tap(sys.argv[2])
    delay = float(sys.argv[3]) / 1000
    # What came in at the one is on its way to the other.
    ways = [(one, other, collections.deque()), (other, one, collections.deque())]
    poller = select.poll()
    for descriptor in (one, other):
        poller.register(descriptor, select.POLLIN)
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        for _, target, under_way in ways:
            while under_way and under_way[0][0] <= now:
                try:
                    os.write(target, under_way.popleft()[1])
                except OSError:
                    pass  # The link is down: the frame is lost, as on a wire.
        waiting = [under_way[0][0] - now for _, _, under_way in ways if under_way]
        poller.poll(max(0, min(waiting) * 1000) if waiting else None)
        for source, _, under_way in ways:
            take(source, under_way, time.monotonic() + delay)


main()
