"""What a reader does: scroll back, return to live, search, mark, set, all by keyboard too."""

from support import IS_OLD, Keys, PageTest, unittest

BELOW = ("(v => v.scrollHeight - v.clientHeight - v.scrollTop)"
         "(document.getElementById('view'))")


class ReadingTests(PageTest):
    def talk(self, count=60):
        host = self.host()
        host.say(*(f"This is line {number} of a talk about the bus line." if number % 10 == 0 else
                   f"This is line {number} of a talk." for number in range(1, count + 1)))
        self.open(host.address)
        self.wait_text(f"line {count} of")
        return host

    def text(self, identifier):
        return self.value(f"document.getElementById('{identifier}').textContent")

    def is_shown(self, identifier):
        return self.value(f"document.getElementById('{identifier}').offsetHeight > 0")

    def is_on_screen(self, number):
        return self.value(f"""(() => {{
            const line = [...document.querySelectorAll(".line")]
              .find(e => e.textContent.includes("line {number} of"));
            const box = line.getBoundingClientRect();
            const view = document.getElementById("view").getBoundingClientRect();
            return box.top >= view.top - 1 && box.bottom <= view.bottom + 1; }})()""")

    def test_scrolling_back_keeps_the_place_counts_and_returns(self):
        host = self.talk()
        self.assertFalse(self.is_shown("live"))
        self.scroll_to(300)
        self.wait("document.getElementById('live').offsetHeight > 0")
        before = self.value("document.querySelectorAll('.line')[9].getBoundingClientRect().top")
        host.say(*(f"This is line {number} of a talk." for number in range(61, 261)))
        self.wait_text("line 260 of")
        self.wait("document.getElementById('live').textContent === '200 new lines ↓'")
        self.assertEqual(before, self.value(
            "document.querySelectorAll('.line')[9].getBoundingClientRect().top"))
        self.click("live")
        self.wait(f"{BELOW} < 2")
        self.assertFalse(self.is_shown("live"))
        host.say("This is line 261 of a talk.")
        self.wait_text("line 261 of")
        self.assertTrue(self.is_on_screen(261))

    def test_one_new_line_is_one_line(self):
        host = self.talk()
        self.scroll_to(0)
        self.wait("document.getElementById('live').offsetHeight > 0")
        host.say("This is line 61 of a talk.")
        self.wait("document.getElementById('live').textContent === '1 new line ↓'")

    def test_scrolling_on_to_the_end_follows_again(self):
        self.talk()
        self.scroll_to(0)
        self.wait("document.getElementById('live').offsetHeight > 0")
        self.scroll_to(10 ** 6)
        self.wait("document.getElementById('live').offsetHeight === 0")

    def test_a_turned_phone_shows_the_same_line(self):
        self.talk()
        self.scroll_to(500)
        self.wait("document.getElementById('live').offsetHeight > 0")
        find = """(() => { const top = document.getElementById("view").getBoundingClientRect().top;
          return [...document.querySelectorAll(".line")]
            .findIndex(e => e.getBoundingClientRect().bottom > top + 1); })()"""
        self.js_async("setTimeout(arguments[0], 200)")  # a scroll's end
        line = self.value(find)
        self.set_size((844, 390))
        self.wait("innerWidth === 844")
        self.wait(f"Math.abs({find} - {line}) <= 1")

    def test_what_did_i_miss_goes_to_the_first_new_line(self):
        host = self.talk()
        self.press("w")
        self.wait("document.getElementById('told').textContent.includes('missed nothing')")
        self.scroll_to(0)
        self.wait("document.getElementById('live').offsetHeight > 0")
        host.say(*(f"This is line {number} of a talk." for number in range(61, 161)))
        self.wait_text("line 160 of")
        self.press(Keys.END)
        self.wait("document.getElementById('live').offsetHeight === 0")
        self.press("w")
        self.wait("document.querySelector('.away')")
        self.assertIn("line 61 of", self.value("document.querySelector('.away').textContent"))
        self.assertTrue(self.is_on_screen(61))

    def test_who_comes_back_is_shown_what_came_meanwhile(self):
        host = self.talk()
        self.hide(True)
        host.say(*(f"This is line {number} of a talk." for number in range(61, 161)))
        self.wait_text("line 160 of")  # a hidden page goes on reading
        self.js("const now = Date.now; Date.now = () => now() + 15000")
        self.hide(False)
        self.wait("document.getElementById('missed').textContent === "
                  "'↑ 100 lines while you were away'")
        self.wait_state("live")
        self.assertTrue(self.is_on_screen(160))
        self.click("missed")
        self.assertTrue(self.is_on_screen(61))
        self.assertFalse(self.is_shown("missed"))
        self.assertTrue(self.is_shown("live"))

    def test_what_was_found_stays_when_the_view_shrinks(self):
        self.talk()
        self.press("/", *"line 60 of")
        self.wait("document.getElementById('count').textContent === '1 of 1'")
        self.set_size((420, 300))
        self.wait("document.getElementById('view').clientHeight < 250")
        self.js_async("requestAnimationFrame(() => setTimeout(arguments[0]))")  # it is laid out
        self.assertTrue(self.is_on_screen(60))
        self.assertTrue(self.is_shown("live"))

    def wait_painted(self, count):
        """The hits are marked, where the browser can do that without another element."""
        if not IS_OLD:
            self.wait(f"CSS.highlights.get('hits').size === {count}")

    def test_search_counts_and_steps(self):
        self.talk()
        self.press("/", *"BUS LINE")
        self.wait("document.getElementById('count').textContent === '6 of 6'")
        self.assertTrue(self.is_on_screen(60))
        self.press(Keys.ENTER)
        self.wait("document.getElementById('count').textContent === '5 of 6'")
        self.assertTrue(self.is_on_screen(50))
        self.click("newer")
        self.wait("document.getElementById('count').textContent === '6 of 6'")
        self.click("newer")
        self.wait("document.getElementById('count').textContent === '1 of 6'")
        self.assertTrue(self.is_on_screen(10))
        self.assertEqual(1, self.value("document.querySelectorAll('.found').length"))
        self.wait_painted(6)
        self.press(Keys.ESCAPE)
        self.assertFalse(self.is_shown("search"))
        self.wait_painted(0)

    def test_search_finds_what_is_said_meanwhile_and_nothing_else(self):
        host = self.talk()
        self.press("/", *"xyzzy (.*")
        self.wait("document.getElementById('count').textContent === 'Nothing found'")
        host.say("They said xyzzy (.* and left.")
        # Nobody is taken there who reads something else.
        self.wait("document.getElementById('count').textContent === '0 of 1'")
        self.wait_painted(1)

    def test_accents_need_not_be_typed(self):
        host = self.fake_host()
        for number, text in enumerate(("Un café à la crème.", "Cafe\u0301 again.", "한국어, が"), 1):
            host.say(number, text)
        self.open(host.address)
        self.press("/", *"CAFE")
        self.wait("document.getElementById('count').textContent === '2 of 2'")
        if not IS_OLD:
            self.assertEqual(["café", "Cafe\u0301"], sorted(self.value(
                "[...CSS.highlights.get('hits')].map(range => range.startContainer.data"
                ".slice(range.startOffset, range.endOffset))"), reverse=True))
        # A part of a letter of another script is not found.
        self.js("document.getElementById('query').value = '하';"
                "document.getElementById('query').dispatchEvent(new Event('input'))")
        self.wait("document.getElementById('count').textContent === 'Nothing found'")

    def test_the_search_gives_back_the_place(self):
        host = self.fake_host()
        for number in range(1, 61):
            host.say(number, f"This is line {number} of a talk.")
        self.open(host.address)
        self.wait_text("line 60 of")
        self.press("/", *"line 10 ")
        self.wait("document.getElementById('count').textContent === '1 of 1'")
        self.assertTrue(self.is_on_screen(10))
        self.press(Keys.ESCAPE)
        self.wait(f"{BELOW} < 2")
        self.assertFalse(self.is_shown("live"))
        self.scroll_to(600)
        self.wait("document.getElementById('live').offsetHeight > 0")
        place = "(place => [place.row.text, Math.round(place.offset)])(places()[0])"
        before = self.value(place)
        self.press("/", *"line 50 ")
        self.wait("document.getElementById('count').textContent === '1 of 1'")
        self.assertTrue(self.is_on_screen(50))
        self.press(Keys.ESCAPE)
        self.assertEqual(before, self.value(place))
        # Who has scrolled on from what was found stays there.
        self.press("/", *"line 50 ")
        self.wait("document.getElementById('count').textContent === '1 of 1'")
        self.scroll_to(900)
        self.js_async("setTimeout(arguments[0], 300)")  # a scroll's end
        after = self.value("places()[0].row.text")
        self.press(Keys.ESCAPE)
        self.wait("document.getElementById('search').hidden")
        self.assertEqual(after, self.value("places()[0].row.text"))

    def test_the_mark_is_kept(self):
        host = self.talk()
        self.press("m")
        self.wait("document.querySelector('.marked')")
        self.assertIn("line 60 of", self.value("document.querySelector('.marked').textContent"))
        host.say(*(f"This is line {number} of a talk." for number in range(61, 161)))
        self.wait_text("line 160 of")
        self.browser.refresh()
        self.wait_state("live")
        self.wait("marked()")
        self.press("'")
        self.wait("document.getElementById('live').offsetHeight > 0")
        self.assertTrue(self.is_on_screen(60))
        self.assertEqual("true", self.browser.find_element("id", "mark").get_attribute(
            "aria-pressed"))

    def test_settings_survive_a_reload(self):
        self.talk(3)
        wanted = dict(size=1.5, leading=2, spacing=0.1, width=40, theme="yellow", names=False,
                      colours=False, partials=False, times="clock", awake=False, announce=True)
        for key, value in wanted.items():
            self.set_setting(key, value)
        self.browser.refresh()
        self.wait_state("live")
        for key, value in wanted.items():
            self.assertEqual(value, self.setting(key), key)
        self.assertEqual("yellow", self.value("document.documentElement.dataset.theme"))
        self.assertTrue(self.value("document.querySelector('.when').offsetHeight > 0"))
        self.click("settings")
        self.click("reset")
        self.assertEqual(1, self.setting("size"))
        self.assertEqual("auto", self.setting("theme"))

    def setting(self, key):
        return self.value(f"JSON.parse(localStorage.getItem('beamscribe.settings'))['{key}']")

    def test_the_page_works_where_nothing_can_be_kept(self):
        self.preload("""
            Object.defineProperty(window, "localStorage", {
              get() { throw new DOMException("no", "SecurityError"); } });""")
        self.talk(3)
        self.set_setting("size", 2)
        self.press("m")
        self.wait("document.querySelector('.marked')")
        self.assertEqual("2", self.value(
            "getComputedStyle(document.documentElement).getPropertyValue('--size')"))
        self.assert_nothing_bad()

    def test_damaged_settings_are_passed_over(self):
        host = self.talk(3)
        self.js("localStorage.setItem('beamscribe.settings', '{\"size\":\"huge\",\"theme\":7}');"
                "localStorage.setItem('beamscribe.mark', '[[')")
        self.open(host.address)
        self.wait_text("line 3 of")
        self.assertEqual("1", self.value("document.querySelector('[data-set=size]').value"))
        self.assert_nothing_bad()

    def test_everything_can_be_done_by_keyboard(self):
        self.talk()
        self.press(Keys.PAGE_UP)
        self.wait("document.getElementById('live').offsetHeight > 0")
        self.press("m")
        self.wait("document.querySelector('.marked')")
        self.press(Keys.HOME)
        self.wait("document.getElementById('view').scrollTop === 0")
        self.press("G")
        self.wait(f"{BELOW} < 2")
        self.press("?")
        self.wait("document.getElementById('list').offsetHeight")
        self.press(Keys.ESCAPE)
        self.wait("!document.getElementById('list').offsetHeight")
        self.press("+", "t", "p", "c")
        kept = self.value("JSON.parse(localStorage.getItem('beamscribe.settings'))")
        self.assertEqual([1.1, "clock", False, "dark"],
                         [kept[key] for key in ("size", "times", "partials", "theme")])
        self.press("s")
        self.wait("document.getElementById('panel').offsetHeight")
        self.assertTrue(self.value("document.getElementById('panel')"
                                   ".contains(document.activeElement)"))
        self.press(Keys.ESCAPE)
        self.wait("!document.getElementById('panel').offsetHeight")

    def test_tab_reaches_every_control_and_shows_where_it_is(self):
        self.talk(3)
        reached = []
        for _ in range(4):
            self.press(Keys.TAB)
            reached.append(self.value("document.activeElement.id"))
            self.assertEqual("solid", self.value(
                "getComputedStyle(document.activeElement).outlineStyle"), reached)
        self.assertEqual(["find", "mark", "settings", "view"], reached)

    def test_keys_of_one_letter_can_be_switched_off(self):
        self.talk(3)
        self.set_setting("keys", False)
        self.press("?", "s", "m", "/")
        self.assertFalse(self.value("document.querySelector('dialog[open]') !== null"))
        self.assertFalse(self.is_shown("search"))
        self.assertFalse(self.value("document.querySelector('.marked') !== null"))

    def test_times_of_day_and_since_the_first_line(self):
        host = self.fake_host()
        host.say(1, "One.")
        host.say(3661, "Two.")
        self.open(host.address)
        self.set_setting("times", "elapsed")
        # The first line is fetched for that.
        self.wait("[...document.querySelectorAll('.when')].map(e => e.textContent).join()"
                  " === '00:00,1:01:00'")
        self.set_setting("times", "clock")
        self.assertRegex(self.value("document.querySelector('.when').textContent"), r"\d\d:\d\d")

    def test_links_save_the_transcript(self):
        self.talk(3)
        self.assertEqual(
            [f"/transcript.{ending}?download" for ending in ("txt", "srt", "vtt", "jsonl")],
            self.value("[...document.querySelectorAll('a[download]')]"
                       ".map(e => e.getAttribute('href'))"))
        saved = self.js_async("""
            const done = arguments[0];
            URL.createObjectURL = (blob) => { blob.text().then(done); return "blob:x"; };
            HTMLAnchorElement.prototype.click = () => {};
            document.getElementById("keep").click();""")
        self.assertEqual([f"This is line {number} of a talk." for number in (1, 2, 3)],
                         saved.splitlines())

    def test_the_screen_is_kept_on_or_the_page_says_why_not(self):
        self.preload("""
            window.locks = 0;
            Object.defineProperty(navigator, "wakeLock", { configurable: true, value: {
              request: async () => { locks += 1; return new EventTarget(); } } });""")
        host = self.talk(3)
        self.wait("locks === 1")
        self.wait("document.getElementById('awake-words').textContent.includes('stays on')")
        self.preload("""
            delete Navigator.prototype.wakeLock; delete navigator.wakeLock;
            Object.defineProperty(window, "isSecureContext", { value: false });""")
        self.open(host.address)
        self.assertIn("HTTPS", self.text("awake-words"))

    def test_a_phone_on_its_side_gives_the_captions_all_rows(self):
        self.set_size((844, 390))
        self.talk()
        self.wait("document.body.classList.contains('calm')")
        self.wait("document.getElementById('bar').getBoundingClientRect().bottom <= 0")
        self.press(Keys.TAB)
        self.wait("document.getElementById('bar').getBoundingClientRect().top >= 0")


class ProjectorTests(PageTest):
    def test_the_wall_shows_three_lines_and_the_state_only_when_it_is_not_live(self):
        self.set_size((1920, 1080))
        host = self.fake_host()
        for number in range(1, 8):
            host.say(number, f"Number {number}.")
        self.open(host.address + "?view=projector")
        shown = """[...document.querySelectorAll(".line")].filter(e => e.offsetHeight)
            .map(e => e.querySelector(".text").textContent)"""
        self.assertEqual(["Number 5.", "Number 6.", "Number 7."], self.value(shown))
        self.assertFalse(self.value("document.getElementById('state').offsetHeight > 0"))
        self.assertFalse(self.value("document.getElementById('tools').offsetHeight > 0"))
        self.assertGreaterEqual(self.value(
            "parseFloat(getComputedStyle(document.querySelector('.line')).fontSize)"), 64)
        host.partial("8", "Number eight")
        self.wait_text("Number eight")
        self.assertEqual(["Number 6.", "Number 7.", "Number eight"], self.value(shown))
        host.alert("paused", "Paused.")
        self.wait_state("paused")
        self.assertTrue(self.value("document.getElementById('state').offsetHeight > 0"))


if __name__ == "__main__":
    unittest.main()
