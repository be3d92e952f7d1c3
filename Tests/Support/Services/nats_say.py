"""Says something at a NATS server, and listens to a subject.

    nats_say.py HOST PORT USER PASSWORD SUBJECT [TEXT]

With TEXT it is published under SUBJECT; without, SUBJECT is subscribed to. Prints "done", and before
that each error of the server.
"""
import sys

import nats_wire


def main():
    host, port, user, password, subject, *text = sys.argv[1:]
    client = nats_wire.Client(host, int(port), user, password)
    before = len(client.errors)
    if text:
        client.publish(subject, text[0].encode())
    else:
        client.subscribe(subject)
    client.flush()
    for error in client.errors[before:]:
        print(error, flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
