"""Several tabs in one browser, screens that nobody attends to, and browsers that keep nothing."""

from support import IS_OLD, Keys, PageTest, only_in, unittest

HIDE = """
  Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
"""


class TabTests(PageTest):
    def another_tab(self):
        """The handle of a tab that is closed with the test."""
        before = self.browser.current_window_handle
        self.engine.open_tab(self.size)
        tab = self.browser.current_window_handle

        def close():
            self.browser.switch_to.window(tab)
            self.browser.close()
            self.browser.switch_to.window(before)

        self.addCleanup(close)
        return tab

    def test_a_seventh_tab_gets_a_stream_from_those_that_nobody_sees(self):
        """Six connections to a host are all that a browser opens."""
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        first = self.browser.current_window_handle
        self.js(HIDE, True)
        tabs = [first]
        for _ in range(6):
            tabs.append(self.another_tab())
            self.open(host.address, until=None)
            self.wait_state("live", 30)
            self.js(HIDE, True)
        host.say(2, "Two.")
        newest = self.browser.current_window_handle
        with_stream = 0
        for tab in tabs:
            self.browser.switch_to.window(tab)
            with_stream += self.value("stream.source ? 1 : 0")
        self.assertLessEqual(with_stream, 5)
        self.browser.switch_to.window(first)
        self.js(HIDE, False)
        self.wait_text("Two.", 30)
        self.wait_state("live", 30)
        self.assertEqual(["One.", "Two."], self.texts())
        self.browser.switch_to.window(newest)

    def test_a_hidden_tab_reads_on_where_nobody_needs_its_place(self):
        host = self.fake_host()
        self.open(host.address)
        self.js(HIDE, True)
        host.say(1, "One.")
        self.wait_text("One.")
        self.assertTrue(self.value("stream.isConnected"))

    def test_settings_and_mark_of_two_tabs_are_both_kept(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        first = self.browser.current_window_handle
        second = self.another_tab()
        self.open(host.address)
        self.set_setting("size", 2)
        self.press("m")
        self.browser.switch_to.window(first)
        self.wait("settings.size === 2 && document.querySelector('.marked')")
        self.set_setting("times", "clock")
        self.browser.switch_to.window(second)
        self.wait("settings.times === 'clock'")
        self.assertEqual([2, "clock"], self.value("[settings.size, settings.times]"))
        self.browser.refresh()
        self.wait_state("live")
        self.assertEqual([2, "clock"], self.value("[settings.size, settings.times]"))


class UnattendedTests(PageTest):
    def next_event(self, path):
        """Opens an event, has it end, and begins another at the same address."""
        self.preload("const later = setTimeout; window.setTimeout = (action, time, ...more) =>"
                     " later(action, time === 10000 ? 200 : time, ...more);")
        host = self.fake_host(name="First")
        host.say(1, "Of the first.")
        self.open(host.address + path)
        host.alert("ended", "Over.")
        host.cut()
        self.wait_state("ended")
        self.assertEqual("First", self.browser.title)
        host.session = "11111111-0000-4000-8000-000000000000"
        host.name, host.history = "Second", []
        host.say(1, "Of the second.")
        return host

    def test_the_wall_and_a_kiosk_go_over_to_the_next_event(self):
        for view in ("projector", "kiosk"):
            with self.subTest(view):
                self.next_event(f"?view={view}")
                self.wait("document.title === 'Second'")
                self.wait_text("Of the second.")
                self.assertEqual(["Of the second."], self.texts())

    def test_the_wall_goes_over_where_its_host_begins_another_event(self):
        host = self.fake_host(name="First")
        host.say(1, "Of the first.")
        self.open(host.address + "?view=projector")
        host.session = "11111111-0000-4000-8000-000000000000"
        host.name, host.history = "Second", []
        host.say(1, "Of the second.")
        host.cut()
        self.wait("document.title === 'Second'")
        self.wait_text("Of the second.")
        self.assertEqual(["Of the second."], self.texts())

    def test_a_reader_keeps_what_he_has_read(self):
        host = self.next_event("")
        asked = len(host.seen)
        self.js_async("setTimeout(arguments[0], 600)")
        self.assertEqual(asked, len(host.seen))
        self.assertEqual(["Of the first."], self.texts())


class RefusalTests(PageTest):
    def test_a_browser_without_cookies_is_told_so(self):
        host = self.fake_host(keeps_cookies=False)
        host.say(1, "One.")
        self.open(host.address + "#token", until="cookies")
        self.assertIn("allow cookies", self.value("document.getElementById('help').textContent"))
        self.assertTrue(self.value("document.getElementById('again').offsetHeight > 0"))
        host.keeps_cookies = True
        self.click("again")
        self.wait_state("live")

    def test_saving_while_the_host_is_away_says_so(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        host.close()
        self.wait_state("lost")
        self.open_dialog("panel")
        self.js("document.querySelector('#saving a').click()")
        self.wait("document.getElementById('not-saved').textContent.includes('does not answer')")
        self.assertEqual(host.address, self.value("location.href"))
        self.assert_nothing_bad()


class ScreenTests(PageTest):
    def begin(self, wake_lock):
        self.preload(f"""Object.defineProperty(Navigator.prototype, "wakeLock",
            {{ configurable: true, value: {wake_lock} }});""")
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)

    def wait_awake(self, words):
        self.wait(f"document.getElementById('awake-words').textContent.includes('{words}')")

    @only_in("webkit", because="it alone wants a touch; here it is asked itself, and no stand-in")
    @unittest.skipIf(IS_OLD, "the oldest cannot be asked at all")
    def test_webkit_keeps_the_screen_on_after_a_key(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        self.wait_awake("one touch first")
        self.press(Keys.ARROW_UP)
        self.wait_awake("stays on")

    def test_what_wants_a_touch_is_asked_for_again_after_one(self):
        self.begin("""{ request: async () => {
            window.asked = (window.asked || 0) + 1;
            if (!window.touched) throw new DOMException("no", "NotAllowedError");
            return new EventTarget(); } }""")
        self.wait_awake("one touch first")
        self.js("addEventListener('keydown', () => { window.touched = true; }, true)")
        self.press(Keys.ARROW_UP)
        self.wait_awake("stays on")

    def test_what_is_refused_after_a_touch_is_said_to_be_refused(self):
        self.begin("""{ request: async () => {
            throw new DOMException("no", "NotAllowedError"); } }""")
        self.wait_awake("one touch first")
        self.press(Keys.ARROW_UP)
        self.wait_awake("does not allow it now")


class DeviceTests(PageTest):
    @only_in("chromium", because="no other can be told so")
    def test_a_device_that_wants_contrast_gets_it(self):
        self.set_media(prefers_contrast="more")
        host = self.fake_host()
        self.open(host.address)
        self.assertEqual("contrast", self.value("document.documentElement.dataset.theme"))
        self.set_media(prefers_contrast="no-preference", prefers_color_scheme="light")
        self.wait("document.documentElement.dataset.theme === 'light'")

    @only_in("chromium", because="no other can be told so")
    def test_hits_and_open_words_differ_where_the_device_chooses_the_colours(self):
        self.set_media(forced_colors="active")
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        host.partial("2", "Still being")
        self.wait_text("Still being")
        colours = self.value("['.line:not(.open) .text', '.open .text']"
                             ".map(e => getComputedStyle(document.querySelector(e)).color)")
        self.assertNotEqual(colours[0], colours[1])
        painted = self.value("getComputedStyle(document.getElementById('log'),"
                             " '::highlight(hits)').backgroundColor")
        self.assertNotEqual(painted, self.value("getComputedStyle(document.body).backgroundColor"))

    def test_a_line_without_a_language_is_not_the_pages(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        self.assertEqual("", self.value("document.querySelector('.line').getAttribute('lang')"))


if __name__ == "__main__":
    unittest.main()
