"""A host that does as it is told, for what a real one does only when things go wrong.

It serves the page's own files and, at /events, whatever the test says. A real host is used
everywhere else (see support.py).
"""

import json
import pathlib
import queue
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

WEB = pathlib.Path(__file__).resolve().parents[2] / "Sources/BeamscribeWeb"
PAGE = WEB / "Page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "font-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
# In the order that the real host joins them in.
SCRIPTS = [PAGE / f"{name}.js" for name in re.findall(
    r"PackageResources\.(\w+)_js", re.search(
        r"let script = .*?flatMap", (WEB / "Routes/PageFile.swift").read_text(), re.DOTALL)[0])]
WORDS = sorted((PAGE / "Words").glob("*.json"))
FILES = {
    "/OpenDyslexic.woff2": ([PAGE / "Font/OpenDyslexic.woff2"], "font/woff2"),
    **{f"/words/{path.name}": ([path], "application/json; charset=utf-8") for path in WORDS},
    "/": ([PAGE / "page.html"], "text/html; charset=utf-8"),
    "/page.css": ([PAGE / "page.css"], "text/css; charset=utf-8"),
    "/floor.js": ([PAGE / "floor.js"], "text/javascript; charset=utf-8"),
    "/page.js": (SCRIPTS, "text/javascript; charset=utf-8"),
    "/look": ([PAGE / "look.html"], "text/html; charset=utf-8"),
    "/look.js": ([PAGE / "look.js"], "text/javascript; charset=utf-8"),
}


class FakeHost:
    """Invariant: every stream that is open gets each event that is sent, in order, once."""

    def __init__(self, at="127.0.0.1"):
        self.session = "963435f3-1dc9-4def-bf99-59a085b55c03"
        self.runs = [0]
        self.name = "Town Hall"
        self.first = 1
        self.also = []  # other pages
        self.more = {}  # what else its hello has
        self.reads = None  # other logs that are read together, as its hello has them; then `history`
        # has ("in", {"session": ...}) before lines of another log
        self.history = []  # (event, data) that every new stream gets behind its hello
        self.access = 204
        self.keeps_cookies = True  # or the browser's, which then never gets beyond /access
        self.script = None  # instead of the page's own; a number refuses it
        self.answer = 200  # of /events
        self.seen = []  # the request lines
        self.history_passes = threading.Event()  # while it is not set, /history waits
        self.history_passes.set()
        self.streams = []
        self.saying = threading.Lock()  # nothing comes between what a stream begins with and the rest
        self.connections = []
        self.server = ThreadingHTTPServer((at, 0), self._handler())
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a browser that goes is no error
        self.address = "http://%s:%d/" % self.server.server_address[:2]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.cut()
        self.server.shutdown()
        self.server.server_close()
        # Browsers keep connections for later, and would go on by these.
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has gone

    def send(self, event, **data):
        with self.saying:
            for stream in list(self.streams):
                stream.put((event, data))

    def say(self, seq, text, **more):
        """A final, for those who are here and for those who come later."""
        more.setdefault("line", f"l{seq}")
        data = dict(seq=seq, text=text, sentTimestamp=1795219600.0 + seq, **more)
        with self.saying:
            self.history.append(("final", data))
            for stream in self.streams:
                stream.put(("final", data))

    def partial(self, line, text, **more):
        self.send("partial", line=line, revision=1, text=text,
                  sentTimestamp=1795219600.0, **more)

    def alert(self, kind, message=""):
        self.send("alert", type="alert", kind=kind, message=message, sentTimestamp=1795219600.0)

    def beat(self, age=0.0):
        self.send("beat", timestamp=1795219600.0, inputAge=age, lastSeq=self.last,
                  also=self.also, **self.more)

    def cut(self):
        """Ends all streams."""
        for stream in list(self.streams):
            stream.put(None)

    @property
    def last(self):
        return max((data["seq"] for event, data in self.history if event == "final"), default=0)

    def _hello(self, after):
        return dict(session=self.session, after=after, runs=self.runs, eventName=self.name,
                    deviceName="stage", firstSeq=self.first, lastSeq=self.last,
                    timestamp=1795219600.0, inputAge=0.1, also=self.also, **self.more,
                    **({} if self.reads is None else {"reads": self.reads}))

    def policy(self, path):
        if path != "/look":
            return POLICY
        return POLICY.replace("connect-src 'self'", "connect-src " + " ".join(self.also)).replace(
            "frame-ancestors 'none'", "frame-ancestors 'self'")

    def has(self, words):
        """Whether a phone that reads elsewhere could go on here."""
        return (words["session"] == self.session
                and (int(words["run"]), int(words["seq"])) <= (len(self.runs), self.last))

    def _handler(host):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                host.connections.append(self.connection)

            def do_GET(self):
                host.seen.append(self.requestline)
                path, _, query = self.path.partition("?")
                if path == "/page.js" and isinstance(host.script, int):
                    return self.reply(host.script)
                if path == "/page.js" and host.script:
                    return self.reply(200, FILES[path][1], host.script.encode())
                if path in FILES:
                    parts, kind = FILES[path]
                    return self.reply(200, kind, b"".join(map(pathlib.Path.read_bytes, parts)))
                if not host.keeps_cookies and path in ("/access", "/events"):
                    return self.reply(401)
                if path == "/access":
                    return self.reply(host.access)
                words = {key: values[-1] for key, values in parse_qs(query).items()}
                if path == "/here":
                    return self.reply(204 if host.has(words) else 409, anyone=True)
                if path == "/healthz":
                    return self.reply(200)
                if path == "/history":
                    return self.history(words)
                if path != "/events":
                    return self.reply(404)
                if host.answer != 200:
                    return self.reply(host.answer)
                self.stream(words)

            def do_POST(self):
                host.seen.append(self.requestline)
                host.token = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.reply(host.access)

            def reply(self, status, kind="text/plain", body=b"", anyone=False):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                path = self.path.partition("?")[0]
                self.send_header("Content-Security-Policy", host.policy(path))
                if anyone:
                    self.send_header("Access-Control-Allow-Origin", "*")
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                if status == 503:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(body)

            def history(self, words):
                before, count = int(words["before"]), int(words["count"])
                wanted = dict(session=words["session"], run=int(words["run"]))
                if wanted != dict(session=host.session, run=len(host.runs)):
                    return self.reply(409)
                if not host.history_passes.wait(20):
                    return self.reply(503)
                first = max(1, before - count)
                head = dict(wanted, type="history", **{"from": first, "through": before - 1})
                rows = [head]
                for event, data in host.history:
                    if event == "final" and first <= data["seq"] < before:
                        rows.append(dict(data, type="liveChunk", isFinal=True))
                    if event == "gap" and data["from"] < before and data["through"] >= first:
                        rows.append(dict(data, type="gap"))
                body = "".join(json.dumps(row) + "\n" for row in rows).encode()
                self.reply(200, "application/jsonl; charset=utf-8", body)

            def stream(self, words):
                after = self.headers.get("Last-Event-ID") or words.get("after") or 0
                # Of several logs everything, which the page has to know by itself.
                after = 0 if ":" in str(after) else int(after)
                if after > host.last:
                    after = 0
                after = max(after, host.last - int(words.get("tail", host.last)))
                events = queue.Queue()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.close_connection = True
                try:
                    self.wfile.write(b"retry: 100\n\n")
                    self.event("hello", host._hello(after))
                    with host.saying:
                        begins = list(host.history)
                        host.streams.append(events)
                    for event, data in begins:
                        if data.get("seq", data.get("through", after + 1)) > after:
                            self.event(event, data)
                    while (item := events.get()) is not None:
                        self.event(*item)
                except OSError:
                    pass
                finally:
                    if events in host.streams:
                        host.streams.remove(events)

            def event(self, event, data):
                has_number = event == "final" and host.reads is None
                name = f"id: {data['seq']}\n" if has_number else "" if event == "final" else f"event: {event}\n"
                self.wfile.write((name + "data: " + json.dumps(data) + "\n\n").encode())

            def log_message(self, *arguments):
                pass

        return Handler
