#!/usr/bin/python3
"""A guest that reads a signed log, written from docs/PROTOCOL.md alone.

Usage: log_reader.py HOST PORT [FROM]

Prints the text of each final once it is proven, and at the end of the event a JSON object that says
how many signatures, partials and heads it has checked. Ends with 76 where something is not the
writer's.
"""
import json
import socket
import sys
import time
import uuid

import signed_log
import wire


def fingerprint_of(channel):
    return wire.fingerprint(channel.tls.get_peer_certificate().get_pubkey())


def read(channel, first):
    hello = {"type": "handshake", "protocol": 1, "deviceId": str(uuid.uuid4()),
             "displayName": "log_reader", "logs": 1}
    channel.send({**hello, **({"from": first} if first else {})})
    log, counts, heard = None, {"signatures": 0, "partials": 0, "heads": 0}, time.monotonic()
    while True:
        if time.monotonic() > channel.spoke + wire.KEEP_ALIVE:
            channel.send(wire.keep_alive())
        try:
            payload = channel.frame(time.monotonic() + 1)
        except TimeoutError:
            if time.monotonic() > channel.heard + wire.SILENCE:
                raise wire.Ended("silence") from None
            continue
        packet = wire.parsed(payload)
        match packet["type"]:
            case "handshake_response":
                if packet.get("logs") != 1:
                    sys.exit("the log is not signed")
                log = signed_log.Log(packet["session"], packet["runs"])
            case "log":
                log.take_record(payload, fingerprint_of(channel))
            case "head":
                counts["heads"] += 1
                show(log.take_head(payload))
            case "fullHistory":
                log.begin(packet)
            case "liveChunk" if packet["isFinal"]:
                counts["signatures"] += "sig" in packet
                show(log.take_final(payload))
            case "liveChunk":
                counts["partials"] += 1
                log.take_partial(payload)
            case "alert" if packet["kind"] == "ended":
                return counts


def show(texts):
    for text in texts:
        print(text, flush=True)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    channel = wire.Channel(
        socket.create_connection((sys.argv[1], int(sys.argv[2]))), wire.tls_context(),
        is_host=False)
    channel.secure()
    try:
        print(json.dumps(read(channel, int(sys.argv[3]) if sys.argv[3:] else None)), flush=True)
    except signed_log.Forged as problem:
        print(f"log_reader: {problem}", file=sys.stderr)
        sys.exit(76)


if __name__ == "__main__":
    main()
