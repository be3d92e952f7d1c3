"""A client of HTTPS on Python's ssl module, which misbehaves where it is told to.

    tls-browser.py PORT PATH HOW

HOW is "slowly" (every byte in a packet of its own), "half" (says that it says no more once it has
asked), "rudely" (a reset in the middle of the answer) or "never" (asks, and reads nothing until its
input ends). It prints the protocol, how many bytes came, the last of them, and how it ended.
"""
import socket
import ssl
import struct
import sys

port, path, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
context.set_alpn_protocols(["h2", "http/1.1"])
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
wire = socket.socket()
if how in ("never", "rudely"):
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
wire.connect(("127.0.0.1", port))


def push():
    data = outgoing.read()
    size = 1 if how == "slowly" else max(1, len(data))
    for start in range(0, len(data), size):
        wire.sendall(data[start : start + size])


def step(call):
    while True:
        try:
            value = call()
            push()
            return value
        except ssl.SSLWantReadError:
            push()
            data = wire.recv(65536)
            incoming.write(data) if data else incoming.write_eof()


step(tls.do_handshake)
print("protocol", tls.version(), tls.selected_alpn_protocol(), flush=True)
tls.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
push()
if how == "half":
    try:
        tls.unwrap()
    except ssl.SSLWantReadError:
        push()
if how == "rudely":
    step(lambda: tls.read(1000))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()
    print("ended rudely")
    sys.exit()
if how == "never":
    sys.stdin.read()
answer = b""
try:
    while piece := step(lambda: tls.read(65536)):
        answer += piece
    ending = "in good order"
except ssl.SSLZeroReturnError:
    ending = "in good order"
except ssl.SSLError as error:
    ending = f"by {error.reason}"
print("bytes", len(answer), answer[-3:])
print("ended", ending)
