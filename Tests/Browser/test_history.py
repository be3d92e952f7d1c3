"""Long histories: the newest first, the rest behind it, and nothing moves under a reader."""

import functools

from support import Keys, PageTest, unittest

# A reader's first whole row, which he has his eyes on.
WATCH_ROW = """
  window.watchedRow = places()[arguments[0] || 0].row;
  return [watchedRow.seq, watchedRow.element.getBoundingClientRect().top];
"""
ROW_NOW = "watchedRow.element.getBoundingClientRect().top"
PAINTED_ROW = f"""
  const done = arguments[0];
  requestAnimationFrame(() => requestAnimationFrame(() => done({ROW_NOW})));
"""


class HistoryTests(PageTest):
    def talk(self, count=1000, **traits):
        """A host whose page fetches the rest only where it is asked for."""
        self.preload("Object.defineProperty(navigator, 'connection',"
                     " { value: { saveData: true }, configurable: true })")
        host = self.fake_host(**traits)
        for number in range(1, count + 1):
            host.say(number, self.words(number))
        return host

    def words(self, number):
        return f"line {number} of a talk" + " that goes on and on" * (number % 7)

    def assert_whole(self, last, first=1):
        self.assertEqual([self.words(number) for number in range(first, last + 1)],
                         self.all_texts())

    def asked(self, host):
        return [request.split("&before=")[1].split(" ")[0] for request in host.seen
                if "/history?" in request]

    def scroll_step(self):
        """Up by half a screen, as a reader does."""
        self.js("const view = document.getElementById('view');"
                "view.dispatchEvent(new Event('wheel'));"
                "view.scrollTop -= view.clientHeight / 2")

    # The newest first.

    def test_the_newest_lines_come_first_and_the_rest_is_left_at_the_host(self):
        host = self.talk()
        self.open(host.address)
        self.wait_text("line 1000 of")
        self.assert_whole(1000, first=801)
        self.assertEqual([[1, 800]], self.value(
            "lines.filter(isHole).map(hole => [hole.from, hole.through])"))
        host.partial("p", "being said")
        self.wait_text("being said")
        self.assertEqual([], self.asked(host))
        self.assert_nothing_bad()

    def test_the_rest_comes_by_itself_when_nothing_else_happens(self):
        host = self.fake_host()
        for number in range(1, 1001):
            host.say(number, self.words(number))
        self.open(host.address)
        self.wait("!hasHoles()")
        self.assert_whole(1000)
        self.assertEqual(["801&count=300", "501&count=500"], self.asked(host))

    def test_who_scrolls_up_gets_a_piece_and_reads_on_in_peace(self):
        host = self.talk()
        host.history_passes.clear()
        self.open(host.address)
        self.wait_text("line 1000 of")
        self.js_async("""
            const done = arguments[0];
            const step = () => {
                if (lines.some(row => isHole(row) && row.element)) return done();
                const view = document.getElementById("view");
                view.dispatchEvent(new Event("wheel"));
                view.scrollTop -= view.clientHeight / 2;
                requestAnimationFrame(() => requestAnimationFrame(step));
            };
            step();""")
        self.wait("isFetching")
        seq, before = self.js(WATCH_ROW)
        self.assertLess(seq, 900)
        host.history_passes.set()
        self.wait("lines[1].seq === 501 || lines[0].seq === 501")
        self.assertAlmostEqual(before, self.value(ROW_NOW), delta=0.02)
        self.assertEqual(["801&count=300"], self.asked(host))
        self.assertEqual(list(range(501, 1001)), self.value(
            "lines.filter(row => row.seq).map(row => row.seq)"))

    def test_home_goes_to_the_first_line_however_far_it_is(self):
        host = self.talk(2000)
        self.open(host.address)
        self.press(Keys.HOME)
        self.wait("!hasHoles() && document.getElementById('view').scrollTop === 0", 20)
        self.wait_text("line 1 of")
        self.assertEqual(1, self.js(WATCH_ROW)[0])
        self.assert_whole(2000)

    def test_a_search_finds_what_was_not_here(self):
        host = self.talk()
        self.open(host.address)
        self.press("/", *"line 3 of")
        self.wait("document.getElementById('count').textContent === '1 of 1'")
        self.wait_text("line 3 of")
        self.assertEqual(3, self.value("special.found.seq"))

    def test_what_is_saved_is_all(self):
        host = self.talk()
        self.open(host.address)
        saved = self.js_async("""
            const done = arguments[0];
            URL.createObjectURL = (blob) => { blob.text().then(done); return "blob:x"; };
            HTMLAnchorElement.prototype.click = () => {};
            document.getElementById("keep").click();""")
        self.assertEqual([self.words(number) for number in range(1, 1001)], saved.splitlines())

    def test_corrections_find_their_lines_wherever_both_are(self):
        host = self.talk(10)
        host.say(11, "Three, better.", replaces=3)
        host.say(12, "Four, better.", replaces=4)
        host.say(13, "Seven, so-so.", replaces=7)
        for number in range(14, 700):
            host.say(number, self.words(number))
        host.say(700, "Three, best.", replaces=11)
        self.open(host.address)
        host.say(701, "Seven, better.", replaces=7)
        host.say(702, "Live.")
        self.wait_text("Live.")
        self.assertNotIn("Seven, better.", self.all_texts())
        self.fetch_all()
        texts = {number: self.words(number) for number in range(1, 700)}
        texts.update({3: "Three, best.", 4: "Four, better.", 7: "Seven, better.", 702: "Live."})
        del texts[11], texts[12], texts[13]
        self.assertEqual(list(texts.values()), self.all_texts())
        self.assertEqual(3, self.value("document.querySelectorAll('.corrected').length"))

    def test_a_correction_of_a_line_that_is_gone_is_a_line_in_its_place(self):
        host = self.talk(0, first=6)
        host.history.append(("gap", {"from": 1, "through": 5}))
        for number in range(6, 400):
            host.say(number, self.words(number))
        host.say(400, "What I meant.", replaces=8)
        host.history = [each for each in host.history if each[1].get("seq") != 8]
        self.open_whole(host.address)
        expected = [self.words(number) for number in range(6, 400) if number != 8]
        self.assertEqual([*expected, "What I meant."], self.all_texts())
        self.assertEqual(["Lines 1 to 5 are no longer to be had.",
                          "Line 8 is no longer to be had."],
                         self.value("lines.filter(row => row.kind === 'note').map(row => row.text)"))

    def test_another_session_gives_up_what_was_not_fetched(self):
        host = self.talk()
        self.open(host.address)
        host.session = "11111111-0000-4000-8000-000000000000"
        host.history = []
        host.say(1, "of the second")
        host.cut()
        self.wait_text("of the second")
        self.assertFalse(self.value("hasHoles()"))
        self.assertIn("Lines 1 to 800 are no longer to be had.", self.value(
            "lines.map(row => row.text)"))
        self.assert_nothing_bad()

    def test_a_host_that_has_lost_lines_is_asked_for_those_that_it_has(self):
        host = self.talk()
        self.open(host.address)
        host.runs = [0, 700]
        host.history = host.history[:700]
        host.say(701, "said anew")
        host.cut()
        self.wait_text("said anew")
        self.fetch_all()
        withdrawn = [self.words(number) for number in range(801, 1001)]
        self.assertEqual([*map(self.words, range(1, 701)), *withdrawn, "said anew"],
                         self.all_texts())
        self.assertEqual(200, self.value("lines.filter(row => row.isWithdrawn).length"))

    # A connection that was away for long.

    def test_who_was_cut_off_for_long_gets_what_is_said_now_first(self):
        host = self.talk(20)
        self.open(host.address)
        self.wait_text("line 20 of")
        self.hide(True)
        host.cut()
        for number in range(21, 601):
            host.history.append(("final", dict(seq=number, text=self.words(number), line=str(number),
                                               sentTimestamp=1795219600.0)))
        self.wait_text("line 600 of")
        self.assertEqual([*map(self.words, range(1, 21)), *map(self.words, range(401, 601))],
                         self.all_texts())
        self.js("const now = Date.now; Date.now = () => now() + 15000")
        self.hide(False)
        self.wait("document.getElementById('missed').textContent === "
                  "'↑ 580 lines while you were away'")
        self.click("missed")
        self.wait("!hasHoles()")
        self.assertEqual(21, self.value("special.away.seq"))
        self.wait_text("line 21 of")
        self.assert_whole(600)

    # Over a reload.

    def test_a_reload_asks_for_nothing_twice_and_keeps_the_place(self):
        host = self.talk()
        self.open_whole(host.address)
        self.scroll_to(6000)
        self.js_async("setTimeout(arguments[0], 300)")  # a scroll's end
        before = self.js(WATCH_ROW)
        host.seen.clear()
        host.say(1001, "said later")
        self.wait("lines[lines.length - 1].text === 'said later'")
        self.reload()
        self.assertEqual([], self.asked(host))
        self.assertIn("GET /events?after=1001&tail=200&log=all HTTP/1.1", host.seen)
        self.assertEqual([*map(self.words, range(1, 1001)), "said later"], self.all_texts())
        after = self.js(WATCH_ROW)
        self.assertEqual(before[0], after[0])
        self.assertAlmostEqual(before[1], after[1], delta=1)
        self.assertFalse(self.value("isFollowing"))

    def reload(self):
        self.js("location.reload(); window.isOldPage = true")
        self.wait("!window.isOldPage && stream.isLive")

    def test_a_reload_offers_what_was_missed_meanwhile(self):
        host = self.talk(30)
        self.open(host.address)
        self.wait_text("line 30 of")
        self.js("stop()")
        for number in range(31, 41):
            host.say(number, self.words(number))
        # As if the tab had been away for a minute.
        self.js("const now = Date.now; Date.now = () => now() - 60000")
        self.reload()
        self.wait_text("line 40 of")
        self.assert_whole(40)
        self.wait("document.getElementById('missed').textContent === "
                  "'↑ 10 lines while you were away'")
        self.click("missed")
        self.assertEqual(31, self.value("special.away.seq"))

    def test_another_event_at_the_address_gets_nothing_of_what_was_kept(self):
        host = self.talk(30)
        self.open(host.address)
        self.wait_text("line 30 of")
        host.session = "11111111-0000-4000-8000-000000000000"
        host.history = []
        for number in range(1, 51):
            host.say(number, f"other {number}")
        self.js("stop()")
        self.reload()
        self.wait_text("other 50")
        self.assertEqual([f"other {number}" for number in range(1, 51)], self.all_texts())
        self.assertEqual([], self.notes())

    def test_what_is_kept_is_bounded_and_damage_is_passed_over(self):
        host = self.fake_host()
        for number in range(1, 101):
            host.say(number, f"line {number} " + "x" * 30_000)
        self.open(host.address, until=None)
        self.wait("lines.length === 100", 60)
        self.js("keepLines()")
        size = self.value("sessionStorage.getItem('beamscribe.lines').length")
        self.assertTrue(2_000_000 < size < 2_210_000, size)
        self.js("window.keepLines = () => {}; addEventListener('pagehide', () =>"
                " sessionStorage.setItem('beamscribe.lines', '{\"session\":7,\"rows\":[[')) ")
        self.reload()
        self.wait("!hasHoles() && lines.length === 100", 60)
        self.assert_nothing_bad()

    # Nothing moves under a reader.

    def still(self, host, *changes):
        """What a reader looks at stands where it stood, to the pixel, whatever changes."""
        self.js_async("setTimeout(arguments[0], 300)")  # a scroll's end
        _, before = self.js(WATCH_ROW, 1)
        for change in changes:
            change()
            last = host.last + 1
            host.say(last, f"told last {last}")
            self.wait(f"lines[lines.length - 1].text === 'told last {last}'")
            self.assertAlmostEqual(before, self.js_async(PAINTED_ROW), delta=0.02)

    def test_corrections_above_move_nothing(self):
        host = self.talk(300)
        self.open_whole(host.address)
        self.scroll_to(3000)
        self.js_async("setTimeout(arguments[0], 300)")
        # In the document above the screen; far above it; cut by the upper edge of the screen.
        seqs = self.value("[lines[windowStart + 1].seq, lines[1].seq,"
                          " lines[places()[0].index - 1].seq]")
        self.still(host, *[
            functools.partial(self.correct, host, seq, text)
            for seq in seqs for text in ("much longer than before " * 20, "short")])

    def correct(self, host, seq, text):
        host.say(host.last + 1, text, replaces=seq)

    def test_what_comes_below_moves_nothing_and_neither_does_what_goes(self):
        host = self.talk(120)
        self.open(host.address)
        self.scroll_step()
        self.still(host, lambda: host.partial("p", "a long one " * 60),
                   lambda: host.partial("p", ""))

    def test_what_is_selected_does_not_run_away(self):
        host = self.talk(120)
        self.open(host.address)
        self.wait_text("line 120 of")
        self.js("getSelection().selectAllChildren(lines[lines.length - 3].element)")
        self.wait("!isFollowing")
        selected = self.value("String(getSelection())")
        self.assertIn("line 118 of", selected)
        self.still(host, *[lambda: None] * 30)
        self.assertEqual(selected, self.value("String(getSelection())"))
        self.assertEqual("30 new lines ↓", self.value(
            "document.getElementById('live').textContent"))
        self.click("live")
        self.wait("isFollowing")

    def test_a_reader_far_back_is_left_alone(self):
        host = self.talk(400)
        self.open_whole(host.address)
        self.scroll_to(2000)
        self.still(host, *[lambda: host.say(host.last + 1, "x " * 50)] * 20)

    # Few rows in the document.

    def test_few_rows_are_in_the_document_wherever_the_reader_is(self):
        host = self.fake_host()
        for number in range(1, 3001):
            host.say(number, self.words(number))
        self.open(host.address)
        self.wait("!hasHoles()", 20)
        for part in (0.5, 0.1, 0.9, 0, 0.33):
            # Of what is guessed by now: each row that is seen makes guesses better.
            height = self.value("document.getElementById('view').scrollHeight")
            self.scroll_to(int(height * part))
            self.js_async("setTimeout(arguments[0], 300)")
            shown = self.value("[...document.querySelectorAll('.line')].map(e => e.offsetTop)")
            self.assertEqual(sorted(shown), shown)
            self.assertLess(len(shown), 400)
            # The screen is full of rows, about as far down as the bar says.
            top, bottom = self.value("[places()[0].index, places().length]")
            self.assertGreater(bottom, 3)
            self.assertAlmostEqual(3000 * part, top, delta=150)
        self.scroll_to(10 ** 7)
        self.wait("isFollowing")
        self.wait_text("line 3000 of")

    def test_another_size_keeps_the_line_that_is_read(self):
        host = self.talk(600)
        self.open_whole(host.address)
        self.scroll_to(9000)
        self.js_async("setTimeout(arguments[0], 300)")
        seq, before = self.js(WATCH_ROW)
        for size in (3, 0.5, 1.5):
            self.set_setting("size", size)
            self.assertAlmostEqual(before, self.value(ROW_NOW), delta=0.05)
            self.assertEqual(seq, self.value("places()[0].row.seq"))

    def test_paper_has_all_lines(self):
        host = self.talk(600)
        self.open_whole(host.address)
        self.js("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual([self.words(number) for number in range(1, 601)], self.texts())
        self.js("dispatchEvent(new Event('afterprint'))")
        self.assertLess(len(self.texts()), 400)

    def test_the_language_that_is_chosen_is_all_that_is_shown(self):
        host = self.talk(0)
        for number in range(1, 601):
            host.say(number, self.words(number), lang="de" if number % 10 == 0 else "en")
        self.open_whole(host.address)
        self.press(Keys.END)
        self.set_setting("lang", "de")
        self.wait_text("line 300 of")
        self.assertEqual([self.words(number) for number in range(600, 0, -10)][:30],
                         self.texts()[::-1][:30])
        host.say(601, "not for them", lang="en")
        host.say(602, "for them", lang="de")
        self.wait_text("for them")
        self.assertEqual("for them", self.texts()[-1])
        self.assertNotIn("not for them", self.texts())


if __name__ == "__main__":
    unittest.main()
