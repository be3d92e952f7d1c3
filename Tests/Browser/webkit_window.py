"""The browser that WebKitWebDriver starts: a window of WebKitGTK for each tab, without a frame.

What WebDriver has no words for is asked at a socket, one JSON object and one answer a connection.
"""

import json
import os

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gdk, Gio, GLib, Gtk, WebKit2  # noqa: E402


class Windows:
    """Invariant: the newest window that is still open is the tab of the test."""

    def __init__(self):
        self.context = WebKit2.WebContext.new_ephemeral()
        self.context.set_automation_allowed(True)
        self.context.connect("automation-started", self._began)
        self.tabs = []

    def _began(self, _context, session):
        information = WebKit2.ApplicationInfo()
        information.set_name("MiniBrowser")  # the name that Selenium asks for
        information.set_version(WebKit2.get_major_version(), WebKit2.get_minor_version(),
                                WebKit2.get_micro_version())
        session.set_application_info(information)
        session.connect("create-web-view", self._open)

    def _open(self, _session):
        view = WebKit2.WebView(web_context=self.context, is_controlled_by_automation=True,
                               user_content_manager=WebKit2.UserContentManager())
        window = Gtk.Window()
        window.set_decorated(False)
        window.set_default_size(390, 844)
        window.add(view)
        window.show_all()
        self.tabs.append((view, window))
        view.connect("close", self._close)
        return view

    def _close(self, view):
        for tab in [tab for tab in self.tabs if tab[0] is view]:
            self.tabs.remove(tab)
            tab[1].destroy()

    # What is asked at the socket. `done` answers.

    def focus(self, _, done):
        """As a window manager would: else nothing has the focus, and keys do nothing."""
        window = self.tabs[-1][1].get_window()
        window.raise_()
        window.focus(Gdk.CURRENT_TIME)
        done()

    def preload(self, script, done):
        self.tabs[-1][0].get_user_content_manager().add_script(WebKit2.UserScript.new(
            script, WebKit2.UserContentInjectedFrames.TOP_FRAME,
            WebKit2.UserScriptInjectionTime.START, None, None))
        done()

    def forget(self, _, done):
        self.context.get_website_data_manager().clear(
            WebKit2.WebsiteDataTypes.ALL, 0, None, lambda *_: done())

    def media(self, features, done):
        settings = Gtk.Settings.get_default()
        settings.set_property("gtk-application-prefer-dark-theme",
                              features.get("prefers_color_scheme") == "dark")
        settings.set_property("gtk-enable-animations",
                              features.get("prefers_reduced_motion") != "reduce")
        done()


class Door:
    """Reads one wish of each connection."""

    def __init__(self, path, windows):
        self.windows = windows
        self.service = Gio.SocketService()
        self.service.add_address(Gio.UnixSocketAddress.new(path), Gio.SocketType.STREAM,
                                 Gio.SocketProtocol.DEFAULT)
        self.service.connect("incoming", self._came)

    def _came(self, _service, connection, _source):
        stream = Gio.DataInputStream(base_stream=connection.get_input_stream())
        stream.read_line_async(GLib.PRIORITY_DEFAULT, None, self._read, connection)

    def _read(self, stream, result, connection):
        def answer(words="done\n"):
            connection.get_output_stream().write_all(words.encode(), None)
            connection.close()

        try:
            [(name, value)] = json.loads(stream.read_line_finish_utf8(result)[0]).items()
            getattr(self.windows, name)(value, answer)
        except Exception as error:
            answer(f"{error!r}\n")


if __name__ == "__main__":
    door = Door(os.environ["BEAMSCRIBE_TEST_SOCKET"], Windows())
    Gtk.main()
