"""What the tests of the page share: a real host, a real browser, and waiting with a deadline."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from engines import Engine
from fake_host import FakeHost
from old_browser import OLD

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BEAMSCRIBE = os.environ.get("BEAMSCRIBE", str(PROJECT / ".build/debug/beamscribe"))
PHONE, SMALL, DESKTOP, WALL = (390, 844), (320, 568), (1280, 800), (1920, 1080)
ENGINE = os.environ.get("BEAMSCRIBE_TEST_ENGINE", "chromium")
IS_OLD = bool(os.environ.get("BEAMSCRIBE_TEST_OLD"))
THEMES = ["dark", "light", "contrast", "yellow"]

# Runs before the page's own script: remembers what must not happen, and what moves.
WATCH = """
window.watched = { violations: [], errors: [], shifts: [], ran: [] };
document.addEventListener("securitypolicyviolation", (event) =>
  watched.violations.push(event.violatedDirective + " " + event.blockedURI));
addEventListener("error", (event) => watched.errors.push(String(event.message)));
addEventListener("unhandledrejection", (event) => watched.errors.push(String(event.reason)));
window.alert = (words) => watched.ran.push(String(words));
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) watched.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


class Program:
    """A `beamscribe`. Its state is in a folder of its own."""

    def __init__(self, words, folder=None, **environment):
        self.folder = folder or tempfile.mkdtemp(prefix="beamscribe-browser-")
        self.rows = []
        self.news = threading.Condition()
        inherited = {key: os.environ[key] for key in os.environ if key != "BEAMSCRIBE_CODE"}
        environment = dict(inherited, XDG_STATE_HOME=self.folder,
                           XDG_CONFIG_HOME=self.folder + "/config", **environment)
        self.process = subprocess.Popen(
            [BEAMSCRIBE, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env=environment)
        threading.Thread(target=self._read, daemon=True).start()

    def row(self, pattern, seconds):
        """The first group of the first row on standard error that has the pattern."""
        def find():
            return next((m for m in (re.search(pattern, row) for row in self.rows) if m), None)

        with self.news:
            found = self.news.wait_for(find, seconds)
        if not found:
            raise AssertionError(f"The program said no {pattern}, but: {self.rows}")
        return found.group(1)

    def kill(self):
        """As if the machine's power had gone."""
        self.process.kill()
        self.process.wait(10)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it had gone before it read all
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self):
        try:
            for row in self.process.stderr:
                with self.news:
                    self.rows.append(row.rstrip())
                    self.news.notify_all()
        except ValueError:
            pass  # closed


class PageProgram(Program):
    """One that serves a page."""

    def __init__(self, words, folder=None, **environment):
        super().__init__(words, folder, **environment)
        self.address = self.row(r"Phones:.*?(https?://\S+)", 30)
        self.port = int(re.search(r":(\d+)/", self.address).group(1))


class Captioner(Program):
    """One that says what the test says."""

    def say(self, *texts, **more):
        """Finished lines."""
        self.write(*(dict(text=text, **more) for text in texts))

    def partial(self, line, text, **more):
        self.write(dict(text=text, final=False, line=line, **more))

    def write(self, *objects):
        self.process.stdin.write("".join(json.dumps(each) + "\n" for each in objects))
        self.process.stdin.flush()


class Writer(Captioner):
    """`beamscribe host --into` a host's event."""

    def __init__(self, host, label, *options):
        super().__init__(
            ["host", "--into", "Town Hall", "--as", label, "--host", f"127.0.0.1:{host.wire}",
             "--no-console", "--input-format", "jsonl", *options])
        self.row(r"(Let in)", 30)


class Host(PageProgram, Captioner):
    """`beamscribe host` with a page; `resume` is another in its folder."""

    def __init__(self, *options, event="Town Hall", folder=None, web="127.0.0.1:0", wire=0):
        named = ["--resume", "last"] if event is None else ["--event", event]
        super().__init__(
            ["host", *named, "--web", web, "--port", str(wire), "--bind", "127.0.0.1",
             "--no-ble", "--no-bonjour", "--no-console", "--linger", "0", "--input-format", "jsonl",
             *options], folder)

    @property
    def wire(self):
        """The port for guests."""
        return int(self.row(r"join --host 127\.0\.0\.1:(\d+)", 10))

    def resume(self, *options, wire=0):
        """Another host that goes on with this one's session, at the same address."""
        return Host(*options, event=None, folder=self.folder, web=f"127.0.0.1:{self.port}",
                    wire=wire)

    def end(self):
        """The input ends; begun with `--until-eof`, the event does, too."""
        self.process.stdin.close()


class EventRelay(PageProgram):
    """`beamscribe relay` of a host, with a page."""

    def __init__(self, host, *options, code=None, web="127.0.0.1:0"):
        more = {} if code is None else dict(BEAMSCRIBE_CODE=code)
        super().__init__(
            ["relay", "--host", f"127.0.0.1:{host.wire}", "--port", "0", "--bind", "127.0.0.1",
             "--no-ble", "--no-bonjour", "--web", web, *options], **more)


def only_in(engine, because):
    """For what there is in one engine alone, or can be told to do in it."""
    def marked(test):
        return unittest.skipUnless(ENGINE == engine, f"only in {engine}: {because}")(test)

    return marked


class PageTest(unittest.TestCase):
    """A test with a tab. `self.host(...)`, `self.open(...)`, then questions to the page."""

    size = PHONE

    def setUp(self):
        self.engine = Engine.get()
        self.browser = self.engine.driver
        self.engine.open_tab(self.size)
        self.addCleanup(self.engine.close_tab)
        self.engine.forget_cookies()
        self.preload(WATCH)
        if IS_OLD:
            self.preload(OLD)

    # The two ends.

    def host(self, *options, **more):
        host = Host(*options, **more)
        self.addCleanup(host.close)
        return host

    def fake_host(self, **traits):
        host = FakeHost()
        for name, value in traits.items():
            setattr(host, name, value)
        self.addCleanup(host.close)
        return host

    def open(self, address, until="live"):
        self.browser.get(address)
        if until:
            self.wait_state(until)

    def open_whole(self, address):
        """Opens the page, and goes to its first line, with all between that and the present."""
        self.open(address)
        self.fetch_all()

    def fetch_all(self):
        self.press(Keys.HOME)
        self.wait("!hasHoles()")

    def preload(self, script):
        """Runs before the page's own scripts, each time that a page is loaded."""
        self.engine.preload(script)

    def set_media(self, **features):
        """What the device wishes, until the end of the test."""
        self.addCleanup(self.engine.set_media)
        self.engine.set_media(**features)

    def set_size(self, size):
        self.engine.set_size(size)
        self.wait(f"innerWidth === {size[0]}")

    # Questions.

    def js(self, script, *arguments):
        return self.engine.run(script, *arguments)

    def js_async(self, script, *arguments):
        return self.engine.run_async(script, *arguments)

    def value(self, expression):
        return self.js("return " + expression)

    def wait(self, expression, seconds=10):
        """Waits until a JavaScript expression is true, and gives its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value, trouble = self.value(expression), None
            except WebDriverException as error:
                value, trouble = None, error
            if value:
                return value
            if time.monotonic() > deadline:
                rest = trouble or self.value("document.body.innerText")
                self.fail(f"Not within {seconds} s: {expression}\n{str(rest)[-1500:]}")
            time.sleep(0.02)  # the pace of asking, not a time in which something has to happen

    def wait_state(self, kind, seconds=10):
        # Silence is a live stream in which nobody speaks: a slow machine may come to it.
        kinds = [kind, "silent"] if kind == "live" else [kind]
        self.wait(f"{kinds}.includes(document.getElementById('state').dataset.kind)", seconds)

    def wait_text(self, text, seconds=10):
        """Until the page has it, whether or not it is in the document."""
        text = json.dumps(text)
        self.wait(f"document.getElementById('log').textContent.includes({text})"
                  f" || lines.some(row => row.text.includes({text}))", seconds)

    def texts(self):
        """The words of the lines in the document, in their order, open ones too."""
        return self.value("[...document.querySelectorAll('.line .text')].map(e => e.textContent)")

    def all_texts(self):
        """The words of all lines that the page has."""
        return self.value("lines.filter(row => row.kind === 'line').map(line => line.text)")

    def notes(self):
        return self.value("[...document.querySelectorAll('.note')].map(e => e.textContent)")

    def press(self, *keys):
        # As a keyboard does: to the page, whatever has the focus. A dialog that has just closed
        # keeps it until the next frame, and an element that is not shown cannot be typed into.
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def open_dialog(self, identifier):
        self.js("openDialog(arguments[0])", identifier)

    def close_dialog(self):
        self.js("closeDialog()")

    def click(self, identifier):
        self.browser.find_element("id", identifier).click()

    def hide(self, is_hidden):
        """As if another tab were in front."""
        self.js("""
            Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));""", is_hidden)

    def scroll_to(self, top):
        """As a reader does, with a finger or a wheel."""
        self.js("const view = document.getElementById('view');"
                "view.dispatchEvent(new Event('wheel', { bubbles: true }));"
                "view.scrollTop = arguments[0]", top)

    def set_setting(self, key, value):
        """Through the settings' own control."""
        self.js("""
            const control = arguments[0] === "theme"
              ? document.querySelector(`[name=theme][value=${arguments[1]}]`)
              : document.querySelector(`[data-set=${arguments[0]}]`);
            if (control.type === "checkbox") control.checked = arguments[1];
            else if (control.type === "radio") control.checked = true;
            else control.value = arguments[1];
            control.dispatchEvent(new Event("input", { bubbles: true }));""", key, value)

    def assert_nothing_bad(self):
        watched = self.value("watched")
        self.assertEqual([], watched["violations"], "the policy was violated")
        self.assertEqual([], watched["errors"], "the page's script failed")
        self.assertEqual([], watched["ran"], "a script of a stranger ran")

    def assert_nothing_sideways(self):
        wide = self.value("""[...document.querySelectorAll("body, body *")].filter(e => {
            const box = e.getBoundingClientRect();
            return box.width && box.height && getComputedStyle(e).clipPath === "none"
              && (box.right > innerWidth + 1 || box.left < -1);
          }).map(e => e.tagName + "." + e.className + "#" + e.id)""")
        self.assertEqual([], wide, "something sticks out sideways")
        self.assertTrue(self.value("document.getElementById('view').scrollWidth"
                                   " <= document.getElementById('view').clientWidth"))
