"""Stands in for a service that takes captions by HTTP, by its published rules and strictly.

    caption-service.py zoom|youtube [--port PORT] [--last NUMBER --text TEXT]

It prints "port N" first, then for each caption that it takes "took NUMBER LANGUAGE TEXT" (for
YouTube the time stands in the language's place), "again NUMBER" for a post that it has already,
and "violation ..." where a rule was broken. From standard input it takes, and repeats, what is to
happen with the next posts:

    status N CODE   N posts are not taken, and answered with CODE
    drop N          N posts are taken, and the connection is closed without an answer
    lose N          N posts are not taken, and the connection is closed without an answer
    hang N          N posts are not taken, and never answered
    drip N          N posts are taken, and answered a byte a second
    garbage N       N posts are not taken, and answered with what is no HTTP
    endless N       N posts are taken, and answered with more than anybody reads
    redirect N      N posts are sent elsewhere
    silent          from now on it does not tell the number of the last post
"""

import argparse
import datetime
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\Z")
PATHS = {"zoom": "/closedcaption", "youtube": "/closedcaption"}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Service:
    def __init__(self, kind, last, text):
        self.kind = kind
        self.last = last
        self.texts = [text]
        self.plans = []
        self.tells = True
        self.lock = threading.Lock()

    def plan(self):
        with self.lock:
            return self.plans.pop(0) if self.plans else ("take",)

    def captions(self, query, body):
        """The captions of a post as pairs of what is said of a text, and the text."""
        if self.kind == "zoom":
            language = query.get("lang", ["-"])[0]
            if not LANGUAGE.match(language):
                raise ValueError("lang")
            if len(body.encode()) > 1000:
                raise ValueError("too long")
            return [(language, text) for text in body.split("\n") if text]
        lines = body.split("\n")
        if lines.pop() != "" or len(lines) % 2:
            raise ValueError("lines that are no pairs")
        pairs = list(zip(lines[::2], lines[1::2]))
        for moment, text in pairs:
            if not TIME.match(moment) or not text:
                raise ValueError("a pair that is none")
            said = datetime.datetime.fromisoformat(moment + "+00:00")
            if abs(said.timestamp() - time.time()) > 600:
                raise ValueError("another time")
        return pairs

    def take(self, query, body):
        """Takes a post; answers the status."""
        with self.lock:
            number = int(query["seq"][0])
            captions = self.captions(query, body)
            texts = [text for _, text in captions]
            if number == self.last and texts == self.texts:
                say(f"again {number}")
                return 200
            if number != self.last + 1:
                raise ValueError(f"seq {number} after {self.last}")
            self.last, self.texts = number, texts
            for what, text in captions:
                say(f"took {number} {what} {text}")
            return 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text=""):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, why):
        say(f"violation {why}")
        self.answer(400, why)

    def place(self):
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True)
        wanted = {"zoom": ("id", "signature"), "youtube": ("cid",)}[self.server.service.kind]
        for name in wanted:
            if len(query.get(name, [])) != 1:
                raise ValueError(f"no {name}")
        return parts.path, query

    def do_GET(self):
        service = self.server.service
        try:
            path, query = self.place()
        except ValueError as error:
            return self.refuse(str(error))
        if service.kind != "zoom" or path != PATHS["zoom"] + "/seq" or not service.tells:
            return self.answer(404)
        with service.lock:
            self.answer(200, str(service.last))

    def do_POST(self):
        service = self.server.service
        try:
            path, query = self.place()
            if path != PATHS[service.kind]:
                raise ValueError(f"path {path}")
            if self.headers.get_content_type() != "text/plain":
                raise ValueError("content type")
            body = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8")
            what, *values = service.plan()
            if what == "status":
                return self.answer(values[0], "\x1b[31mno\n" * 3)
            if what == "lose":
                return self.hang_up()
            if what == "hang":
                while True:
                    time.sleep(1)
            if what == "garbage":
                self.wfile.write(b"\x00\xff\x1b[2J" * 1000)
                return self.hang_up()
            if what == "redirect":
                self.send_response(307)
                self.send_header("Location", f"http://{self.headers['Host']}/elsewhere")
                self.send_header("Content-Length", "0")
                return self.end_headers()
            status = service.take(query, body)
            if what == "drop":
                return self.hang_up()
            if what == "drip":
                return self.drip()
            if what == "endless":
                return self.endless()
            now = datetime.datetime.now(datetime.timezone.utc)
            self.answer(status, now.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3])
        except (ValueError, KeyError) as error:
            self.refuse(repr(error))

    def hang_up(self):
        self.close_connection = True

    def drip(self):
        for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(1)

    def endless(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.hang_up()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def listen(service):
    for line in sys.stdin:
        words = line.split()
        with service.lock:
            if words[0] == "silent":
                service.tells = False
            else:
                plan = (words[0], *map(int, words[2:]))
                service.plans += [plan] * int(words[1])
        say(line.strip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=PATHS)
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--last", type=int, default=0)
    parser.add_argument("--text", default="")
    options = parser.parse_args()
    server = Server((options.address, options.port), Handler)
    server.service = Service(options.kind, options.last, options.text)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(f"port {server.server_address[1]}")
    listen(server.service)


main()
