"""Stands in for OBS Studio with obs-websocket 5, by its published protocol and RFC 6455, strictly.

    obs-studio.py [--address ADDRESS] [--port PORT] [--password WORD]

It prints "port N" first, "identified" for each client that it lets in, "took TEXT" for each
caption and "violation ..." where a rule was broken. From standard input it takes, and repeats:

    off         no stream is on (code 501); on: there is one again
    drop N      the next N captions are taken, and the connection is closed without an answer
    lose N      the next N captions are not taken, and the connection is closed without an answer
    cut N       the connection is closed properly after the next N captions
    hang N      the next N captions are not taken, and never answered
    huge N      the next N captions are not taken, and answered with a frame of an exabyte
    flood N     the next N captions are not taken, and answered with texts without end
    liar N      the next N captions are not taken, and answered with half a frame
    mute        from now on nobody is greeted; nohttp: nobody is answered but with nonsense
"""

import argparse
import base64
import hashlib
import json
import os
import socket
import struct
import sys
import threading
import time

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Gone(Exception):
    pass


class Violation(Exception):
    pass


class Studio:
    def __init__(self, password):
        self.password = password
        self.lock = threading.Lock()
        self.plans = []
        self.isOn = True
        self.isMute = False
        self.isNonsense = False

    def plan(self):
        with self.lock:
            return self.plans.pop(0) if self.plans else "take"


def secret(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Connection:
    def __init__(self, stream, studio):
        self.stream, self.studio, self.kept = stream, studio, b""

    def read(self, count):
        while len(self.kept) < count:
            piece = self.stream.recv(65536)
            if not piece:
                raise Gone
            self.kept += piece
        bytes, self.kept = self.kept[:count], self.kept[count:]
        return bytes

    def handshake(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        lines = head.decode("ascii").split("\r\n")
        if self.studio.isNonsense:
            self.stream.sendall(b"\x00\x1b[31mno\r\n" * 100)
            raise Gone
        fields = {}
        for line in lines[1:-2]:
            name, value = line.split(":", 1)
            fields[name.strip().lower()] = value.strip()
        if not lines[0].startswith("GET / HTTP/1.1"):
            raise Violation(lines[0])
        if fields.get("upgrade", "").lower() != "websocket":
            raise Violation("no upgrade")
        if "upgrade" not in fields.get("connection", "").lower():
            raise Violation("no upgrade of the connection")
        if fields.get("sec-websocket-version") != "13" or "host" not in fields:
            raise Violation("version or host")
        if fields.get("sec-websocket-protocol") != "obswebsocket.json":
            raise Violation("subprotocol")
        if len(base64.b64decode(fields["sec-websocket-key"])) != 16:
            raise Violation("key")
        key = base64.b64encode(
            hashlib.sha1((fields["sec-websocket-key"] + GUID).encode()).digest()
        ).decode()
        self.stream.sendall(
            (
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n"
                "Sec-WebSocket-Protocol: obswebsocket.json\r\n\r\n"
            ).encode()
        )

    def frame(self, opcode, payload, final=True):
        head = bytes([opcode | (0x80 if final else 0)])
        if len(payload) < 126:
            head += bytes([len(payload)])
        else:
            head += b"\x7e" + struct.pack(">H", len(payload))
        self.stream.sendall(head + payload)

    def text(self, message):
        """A message in two pieces, with a ping between them."""
        bytes = json.dumps(message).encode()
        middle = len(bytes) // 2
        self.frame(1, bytes[:middle], final=False)
        self.frame(9, b"are you there?")
        self.frame(0, bytes[middle:])
        self.pings += 1

    pings = 0

    def message(self):
        while True:
            first, second = self.read(2)
            if not second & 0x80:
                raise Violation("a frame that is not masked")
            if first & 0x70:
                raise Violation("reserved bits")
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self.read(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.read(8))
            if length > 1 << 20:
                raise Violation("a large frame")
            mask = self.read(4)
            payload = bytes(
                byte ^ mask[index % 4] for index, byte in enumerate(self.read(length))
            )
            opcode = first & 0xF
            if opcode == 8:
                raise Gone
            if opcode == 10:
                if payload != b"are you there?":
                    raise Violation("another pong")
                self.pings -= 1
                continue
            if opcode != 1 or not first & 0x80:
                raise Violation(f"opcode {opcode}")
            return json.loads(payload.decode("utf-8"))

    def close(self, code):
        self.frame(8, struct.pack(">H", code) + b"bye")
        # Where something is unread the system resets the connection, and what was sent is lost.
        self.stream.shutdown(socket.SHUT_WR)
        while self.stream.recv(65536):
            pass
        raise Gone

    def identify(self):
        if self.studio.isMute:
            time.sleep(10000)
        hello = {"obsWebSocketVersion": "5.1.0", "rpcVersion": 1}
        challenge = base64.b64encode(os.urandom(32)).decode()
        salt = base64.b64encode(os.urandom(32)).decode()
        if self.studio.password:
            hello["authentication"] = {"challenge": challenge, "salt": salt}
        self.text({"op": 0, "d": hello})
        message = self.message()
        details = message["d"]
        if message["op"] != 1 or details["rpcVersion"] != 1 or details["eventSubscriptions"] != 0:
            raise Violation("identify")
        if self.studio.password:
            proof = secret(secret(self.studio.password + salt) + challenge)
            if details.get("authentication") != proof:
                self.close(4009)
        self.text({"op": 2, "d": {"negotiatedRpcVersion": 1}})
        say("identified")

    def run(self):
        self.handshake()
        self.identify()
        while True:
            request = self.message()
            details = request["d"]
            if request["op"] != 6 or details["requestType"] != "SendStreamCaption":
                raise Violation(f"request {request}")
            text = details["requestData"]["captionText"]
            if not isinstance(text, str) or not text or len(text.encode()) > 128:
                raise Violation(f"caption {text!r}")
            what = self.studio.plan()
            if what == "lose":
                raise Gone
            if what == "hang":
                time.sleep(10000)
            if what == "huge":
                self.stream.sendall(b"\x81\x7f" + struct.pack(">Q", 1 << 60) + b"x" * 1000)
                time.sleep(10000)
            if what == "liar":
                self.stream.sendall(b"\x81\x7e\x03\xe8" + b"x" * 500)
                raise Gone
            if what == "flood":
                while True:
                    self.frame(1, b'{"op": 5, "d": {}}')
            status = {"result": self.studio.isOn, "code": 100 if self.studio.isOn else 501}
            if self.studio.isOn:
                say(f"took {text}")
            if what == "drop":
                raise Gone
            answer = {
                "requestType": "SendStreamCaption",
                "requestId": details["requestId"],
                "requestStatus": status,
            }
            # Another's answer comes first.
            self.text({"op": 7, "d": {**answer, "requestId": "another"}})
            self.text({"op": 7, "d": answer})
            if what == "cut":
                self.close(1001)


def serve(stream, studio):
    try:
        Connection(stream, studio).run()
    except Gone:
        pass
    except OSError:
        pass
    except (Violation, KeyError, ValueError) as error:
        say(f"violation {error!r}")
    finally:
        stream.close()


def accept(listener, studio):
    while True:
        stream, _ = listener.accept()
        threading.Thread(target=serve, args=(stream, studio), daemon=True).start()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--password")
    options = parser.parse_args()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((options.address, options.port))
    listener.listen()
    studio = Studio(options.password)
    threading.Thread(target=accept, args=(listener, studio), daemon=True).start()
    say(f"port {listener.getsockname()[1]}")
    for line in sys.stdin:
        words = line.split()
        with studio.lock:
            if words[0] in ("on", "off"):
                studio.isOn = words[0] == "on"
            elif words[0] == "mute":
                studio.isMute = True
            elif words[0] == "nohttp":
                studio.isNonsense = True
            else:
                studio.plans += [words[0]] * int(words[1])
        say(line.strip())


main()
