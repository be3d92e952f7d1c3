"""What the tests of the page share: a real host, a real browser, and waiting with a deadline."""

import atexit
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

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys  # noqa: F401, for the tests

from fake_host import FakeHost

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BEAMSCRIBE = os.environ.get("BEAMSCRIBE", str(PROJECT / ".build/debug/beamscribe"))
PHONE, SMALL, DESKTOP, WALL = (390, 844), (320, 568), (1280, 800), (1920, 1080)
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


class Host:
    """`beamscribe host` with a page. Its state is in a folder of its own, which `resume` shares."""

    def __init__(self, *options, event="Town Hall", folder=None, web="127.0.0.1:0"):
        self.folder = folder or tempfile.mkdtemp(prefix="beamscribe-browser-")
        self.rows = []
        self.news = threading.Condition()
        named = ["--resume", "last"] if event is None else ["--event", event]
        environment = dict(os.environ, XDG_STATE_HOME=self.folder,
                           XDG_CONFIG_HOME=self.folder + "/config")
        environment.pop("BEAMSCRIBE_CODE", None)
        self.process = subprocess.Popen(
            [BEAMSCRIBE, "host", *named, "--web", web, "--port", "0", "--bind", "127.0.0.1",
             "--no-ble", "--no-bonjour", "--no-console", "--linger", "0", "--input-format", "jsonl",
             *options],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=environment)
        threading.Thread(target=self._read, daemon=True).start()
        self.address = self.row(r"Phones.*?(https?://\S+)", 30)
        self.port = int(re.search(r":(\d+)/", self.address).group(1))

    def row(self, pattern, seconds):
        """The first group of the first row on standard error that has the pattern."""
        def find():
            return next((m for m in (re.search(pattern, row) for row in self.rows) if m), None)

        with self.news:
            found = self.news.wait_for(find, seconds)
        if not found:
            raise AssertionError(f"The host said no {pattern}, but: {self.rows}")
        return found.group(1)

    def say(self, *texts, **more):
        """Finished lines."""
        self.write(*(dict(text=text, **more) for text in texts))

    def partial(self, line, text, **more):
        self.write(dict(text=text, final=False, line=line, **more))

    def write(self, *objects):
        self.process.stdin.write("".join(json.dumps(each) + "\n" for each in objects))
        self.process.stdin.flush()

    def kill(self):
        """As if the machine's power had gone."""
        self.process.kill()
        self.process.wait(10)

    def resume(self, *options):
        """Another host that goes on with this one's session, at the same address."""
        return Host(*options, event=None, folder=self.folder, web=f"127.0.0.1:{self.port}")

    def end(self):
        """The input ends; begun with `--until-eof`, the event does, too."""
        self.process.stdin.close()

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


class Browser:
    """One Chromium for all tests of a run; each test gets a tab of its own."""

    shared = None

    @classmethod
    def get(cls):
        if cls.shared is None:
            cls.shared = cls._start()
            atexit.register(cls.shared.quit)
        return cls.shared

    @staticmethod
    def _start():
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking",
                         "--lang=en-GB", "--force-device-scale-factor=1"):
            options.add_argument(argument)
        driver = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")
        browser = webdriver.Chrome(options, Service(driver))
        browser.set_script_timeout(20)
        browser.set_page_load_timeout(20)
        return browser


class PageTest(unittest.TestCase):
    """A test with a tab. `self.host(...)`, `self.open(...)`, then questions to the page."""

    size = PHONE

    def setUp(self):
        self.browser = Browser.get()
        self.first_tab = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.addCleanup(self._close_tab)
        self.cdp("Network.clearBrowserCookies")
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.set_size(self.size)

    def _close_tab(self):
        self.browser.close()
        self.browser.switch_to.window(self.first_tab)

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

    def cdp(self, command, **parameters):
        return self.browser.execute_cdp_cmd(command, parameters)

    def set_size(self, size):
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                 deviceScaleFactor=1, mobile=False)

    # Questions.

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

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
        self.wait(f"document.getElementById('log').textContent.includes({json.dumps(text)})",
                  seconds)

    def texts(self):
        """The words of all lines on the page, in their order, open ones too."""
        return self.value("[...document.querySelectorAll('.line .text')].map(e => e.textContent)")

    def notes(self):
        return self.value("[...document.querySelectorAll('.note')].map(e => e.textContent)")

    def press(self, *keys):
        # As a keyboard does: to the page, whatever has the focus. A dialog that has just closed
        # keeps it until the next frame, and an element that is not shown cannot be typed into.
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def click(self, identifier):
        self.browser.find_element("id", identifier).click()

    def scroll_to(self, top):
        """As a reader does, with a finger or a wheel."""
        self.js("const view = document.getElementById('view');"
                "view.dispatchEvent(new Event('wheel')); view.scrollTop = arguments[0]", top)

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
