"""A program on a terminal of its own, read as a person's eyes would: byte by byte as it draws."""

import fcntl
import os
import pty
import select
import struct
import termios
import time


class Screen:
    """What a program writes to a pseudo-terminal.

    Invariant: `text` is the end of what was read, long enough to hold any one frame."""

    KEPT = 1 << 16

    def __init__(self, columns=80, rows=24):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.text = b""

    def opened(self):
        """To be called once the program has the terminal: only its own end may keep it open."""
        os.close(self.slave)

    def wait_for(self, word, deadline):
        """The time at which `word` was there; None where it never came."""
        seen = 0
        while True:
            # The word may begin in what an earlier read has brought.
            if self.text.find(word, max(0, seen - len(word))) >= 0:
                return time.monotonic()
            seen = len(self.text)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                return None
            try:
                part = os.read(self.master, 1 << 16)
            except OSError:  # EIO: the program has gone
                return None
            kept = self.text[-self.KEPT:]
            seen = len(kept)
            self.text = kept + part

    def close(self):
        os.close(self.master)
