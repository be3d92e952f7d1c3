"""Stands in for a NATS server with JetStream whose numbers are wrong.

    nats_server.py ADDRESS WRONG [NUMBER]

It keeps streams in memory and answers as JetStream does, but NUMBER (2^64-1 by default) stands in its answers where
WRONG says:

    acknowledgement   in the place of a message that it has taken
    state             as the last message of a stream
    message           as the place of a message that somebody reads
    nothing           nowhere

Prints "port N" first, and "lied" each time that it has given the number. A line of standard input has it tell the truth
from then on ("true"), or lie again ("lie"); it is repeated once that holds.
"""
import base64
import json
import socket
import sys
import threading

LOCK = threading.RLock()
INFO = {"server_id": "X", "server_name": "x", "version": "2.9.10", "proto": 1, "headers": True,
        "max_payload": 1 << 20, "jetstream": True, "go": "go1.19", "host": "0.0.0.0", "port": 0}


def matches(pattern, subject):
    wanted, words = pattern.split("."), subject.split(".")
    for place, each in enumerate(wanted):
        if each == ">":
            return len(words) > place
        if place >= len(words) or each not in ("*", words[place]):
            return False
    return len(wanted) == len(words)


class Server:
    def __init__(self, wrong, number):
        self.wrong, self.number, self.lies = wrong, number, True
        self.clients, self.streams, self.consumers, self.count = [], {}, [], 0

    def true_or_not(self, what, number):
        if not self.lies or what != self.wrong:
            return number
        print("lied", flush=True)
        return self.number

    def publish(self, subject, data, reply="", header=b""):
        with LOCK:
            if subject.startswith("$JS.API."):
                answer = self.request(subject[len("$JS.API."):], data)
                return self.publish(reply, json.dumps(answer).encode()) if reply else None
            for name, stream in self.streams.items():
                if any(matches(each, subject) for each in stream["subjects"]):
                    return self.store(name, stream, subject, data, reply, header)
            self.deliver(subject, data)

    def store(self, name, stream, subject, data, reply, header):
        messages = stream["messages"]
        for line in header.split(b"\r\n"):
            key, _, value = line.partition(b":")
            if key == b"Nats-Expected-Last-Sequence" and int(value) != len(messages):
                error = {"code": 400, "err_code": 10071,
                         "description": f"wrong last sequence: {len(messages)}"}
                return self.publish(reply, json.dumps({"error": error}).encode()) if reply else None
        messages.append((subject, data))
        if reply:
            place = self.true_or_not("acknowledgement", len(messages))
            self.publish(reply, json.dumps({"stream": name, "seq": place}).encode())
        for consumer in self.consumers:
            if consumer["stream"] == name:
                self.feed(consumer)

    def feed(self, consumer):
        messages = self.streams[consumer["stream"]]["messages"]
        while consumer["next"] <= len(messages):
            place = consumer["next"]
            consumer["next"] += 1
            subject, data = messages[place - 1]
            if consumer["last"] and any(each[0] == subject for each in messages[place:]):
                continue
            if consumer["filter"] and not matches(consumer["filter"], subject):
                continue
            consumer["given"] += 1
            told = self.true_or_not("message", place)
            reply = (f"$JS.ACK.{consumer['stream']}.{consumer['name']}.1.{told}.{consumer['given']}."
                     f"1700000000000000000.{len(messages) - place}")
            self.deliver(consumer["subject"], data, reply, shown=subject)

    def deliver(self, subject, data, reply="", shown=None):
        for client in list(self.clients):
            client.give(subject, shown or subject, data, reply)

    def request(self, request, data):
        word, _, rest = request.rpartition(".")
        body = json.loads(data) if data else {}
        missing = {"error": {"code": 404, "err_code": 10059, "description": "stream not found"}}
        if word == "STREAM.CREATE":
            self.streams.setdefault(rest, {"subjects": body["subjects"], "messages": []})
            return self.info(rest, body)
        if word == "STREAM.INFO":
            return self.info(rest, body) if rest in self.streams else missing
        if word == "STREAM.MSG.GET":
            return self.message(rest, body) if rest in self.streams else missing
        if request.startswith("CONSUMER.CREATE.") or request.startswith("CONSUMER.DURABLE."):
            return self.consume(body) if body["stream_name"] in self.streams else missing
        return {"success": True}

    def info(self, name, body):
        messages = self.streams[name]["messages"]
        last = self.true_or_not("state", len(messages))
        state = {"messages": len(messages), "bytes": 0, "first_seq": 1, "last_seq": last,
                 "consumer_count": 0}
        if body.get("subjects_filter"):
            state["subjects"] = {each[0]: 1 for each in messages
                                 if matches(body["subjects_filter"], each[0])}
        config = {"name": name, "subjects": self.streams[name]["subjects"], "retention": "limits",
                  "storage": "file", "discard": "old", "num_replicas": 1, "max_consumers": -1,
                  "max_msgs": -1, "max_bytes": -1, "max_age": 0, "max_msg_size": -1}
        return {"type": "io.nats.jetstream.api.v1.stream_info_response", "config": config,
                "created": "2026-01-01T00:00:00Z", "state": state}

    def message(self, name, body):
        messages = self.streams[name]["messages"]
        place = body.get("seq", 0)
        if "last_by_subj" in body:
            places = [at for at, each in enumerate(messages, 1) if each[0] == body["last_by_subj"]]
            place = places[-1] if places else 0
        if not 1 <= place <= len(messages):
            # What the state says is there is there.
            if not (messages and place > len(messages) and self.wrong == "state" and self.lies):
                return {"error": {"code": 404, "err_code": 10037, "description": "no message found"}}
            place = len(messages)
        subject, data = messages[place - 1]
        return {"message": {"subject": subject, "seq": place, "time": "2026-01-01T00:00:00Z",
                            "data": base64.b64encode(data).decode()}}

    def consume(self, body):
        self.count += 1
        config = body["config"]
        policy = config.get("deliver_policy")
        consumer = {"stream": body["stream_name"], "name": f"c{self.count}", "given": 0,
                    "subject": config["deliver_subject"], "filter": config.get("filter_subject"),
                    "next": config.get("opt_start_seq", 1), "last": policy == "last_per_subject"}
        answer = {"stream_name": consumer["stream"], "name": consumer["name"], "config": config,
                  "created": "2026-01-01T00:00:00Z", "num_pending": 0, "push_bound": True,
                  "delivered": {"consumer_seq": 0, "stream_seq": 0},
                  "ack_floor": {"consumer_seq": 0, "stream_seq": 0}}
        self.consumers.append(consumer)
        threading.Timer(0.05, self.begin, [consumer]).start()
        return answer

    def begin(self, consumer):
        with LOCK:
            self.feed(consumer)


class Client(threading.Thread):
    def __init__(self, connection, server):
        super().__init__(daemon=True)
        self.connection, self.server, self.subscriptions = connection, server, {}

    def send(self, data):
        try:
            self.connection.sendall(data)
        except OSError:
            pass

    def give(self, subject, shown, data, reply):
        for number, pattern in list(self.subscriptions.items()):
            if matches(pattern, subject):
                head = f"MSG {shown} {number} {reply + ' ' if reply else ''}{len(data)}\r\n"
                self.send(head.encode() + data + b"\r\n")

    def run(self):
        self.send(b"INFO " + json.dumps(INFO).encode() + b"\r\n")
        file = self.connection.makefile("rb")
        with LOCK:
            self.server.clients.append(self)
        try:
            while line := file.readline():
                self.take(line.split(), file)
        except (OSError, ValueError):
            pass
        with LOCK:
            self.server.clients.remove(self)

    def take(self, words, file):
        kind = words[0].upper() if words else b""
        if kind == b"PING":
            self.send(b"PONG\r\n")
        elif kind == b"SUB":
            with LOCK:
                self.subscriptions[words[-1].decode()] = words[1].decode()
        elif kind == b"UNSUB":
            with LOCK:
                self.subscriptions.pop(words[1].decode(), None)
        elif kind in (b"PUB", b"HPUB"):
            data = file.read(int(words[-1]) + 2)[:-2]
            sizes = 2 if kind == b"HPUB" else 1
            reply = words[2].decode() if len(words) > 2 + sizes else ""
            size = int(words[-2]) if kind == b"HPUB" else 0
            self.server.publish(words[1].decode(), data[size:], reply, data[:size])


def main():
    address, wrong = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else (1 << 64) - 1
    server = Server(wrong, number)
    listener = socket.create_server((address, 0))
    print(f"port {listener.getsockname()[1]}", flush=True)

    def serve():
        while True:
            Client(listener.accept()[0], server).start()

    threading.Thread(target=serve, daemon=True).start()
    for line in sys.stdin:
        server.lies = line.strip() == "lie"
        print(line.strip(), flush=True)


if __name__ == "__main__":
    main()
