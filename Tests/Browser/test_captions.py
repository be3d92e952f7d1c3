"""What is said is what is shown: all of it, once, in its place, and it does not move."""

from support import ENGINE, PageTest, unittest

# Where each word of the newest line stands, within the line and on the screen.
WORDS = """
  const line = [...document.querySelectorAll(".line")].pop();
  const text = line.querySelector(".text").firstChild;
  const box = line.getBoundingClientRect();
  return [...text.data.matchAll(/\\S+/g)].map(match => {
    const range = new Range();
    range.setStart(text, match.index);
    range.setEnd(text, match.index + match[0].length);
    const { left, top } = range.getClientRects()[0];
    return [match[0], left - box.left, top - box.top, left, top];
  });
"""


class CaptionTests(PageTest):
    def test_late_reader_has_every_line_once_in_order(self):
        host = self.host()
        host.say(*(f"line {number}" for number in range(1, 10_001)))
        self.open(host.address, until=None)
        self.wait_text("line 10000", 40)
        self.wait_state("live")
        self.wait("!hasHoles()", 40)
        self.assertEqual([f"line {number}" for number in range(1, 10_001)], self.all_texts())
        self.assertLess(self.value("document.querySelectorAll('#log *').length"), 1500)
        # And the newest is what is on the screen.
        self.assertLess(self.value("""[...document.querySelectorAll(".line")].pop()
            .getBoundingClientRect().bottom"""), 844)
        self.assert_nothing_bad()

    def test_words_stay_where_they_are_when_a_line_grows_and_is_finished(self):
        for before in (1, 30):
            with self.subTest(lines_before=before):
                host = self.host()
                host.say(*(f"A line that was said before, number {n}." for n in range(before)))
                self.open(host.address)
                self.wait_text(f"number {before - 1}.")
                self.grow_a_line(host, is_scrolling=before > 1)

    def grow_a_line(self, host, is_scrolling):
        said = ("We have asked four companies for an offer, and two of them have answered so far, "
                "one with a price that the county finds too high.").split()
        earlier = []
        self.js("watched.shifts.length = 0")
        for end in [*range(1, len(said), 3), len(said)]:
            is_done = end == len(said)
            text = " ".join(said[:end])
            host.write(dict(text=text, final=is_done, line="17", speaker="Ben Okafor"))
            self.wait(f"[...document.querySelectorAll('.line .text')].pop().textContent === "
                      f"{text!r}")
            words = self.js(WORDS)
            for old, new in zip(earlier, words):
                self.assert_same_place(old[:3], new[:3], "a word has moved within its line")
                if not is_scrolling:
                    self.assert_same_place(old, new, "a word has moved on the screen")
            earlier = words
        self.wait("!document.querySelector('.open')")
        for old, new in zip(earlier, self.js(WORDS), strict=True):
            self.assert_same_place(old, new, "a word has moved as the line was finished")
        # Chromium only knows of these.
        self.assertEqual([], self.value("watched.shifts"), "the browser saw a layout shift")

    def assert_same_place(self, old, new, what):
        """WebKit tells the box of a part of a text in whole pixels, that of all of it exactly."""
        slack = 0.5 if ENGINE == "webkit" else 0
        self.assertEqual(old[0], new[0])
        for before, after in zip(old[1:], new[1:]):
            self.assertLessEqual(abs(before - after), slack, f"{what}: {old} {new}")

    def test_open_lines_become_final_in_place(self):
        host = self.host()
        self.open(host.address)
        host.partial("a", "Ann begins", speaker="Ann")
        self.wait_text("Ann begins")
        self.js("window.first = document.querySelector('.line')")
        host.partial("b", "Ben interrupts", speaker="Ben")
        self.wait_text("Ben interrupts")
        self.assertEqual(["Ann begins", "Ben interrupts"], self.texts())
        host.write(dict(text="Ben interrupts.", line="b", speaker="Ben"),
                   dict(text="Ann begins, and ends.", line="a", speaker="Ann"))
        self.wait("!document.querySelector('.open') && document.querySelector('.line')")
        self.assertEqual(["Ann begins, and ends.", "Ben interrupts."], self.texts())
        self.assertTrue(self.value("first === document.querySelector('.line')"))

    def test_a_withdrawn_line_goes_and_the_17th_pushes_out_the_oldest(self):
        host = self.fake_host()
        self.open(host.address)
        for number in range(17):
            host.partial(f"p{number}", f"open {number}")
        self.wait_text("open 16")
        self.assertEqual([f"open {number}" for number in range(1, 17)], self.texts())
        host.partial("p5", "")
        self.wait("document.querySelectorAll('.line').length === 15")
        self.assertNotIn("open 5", self.texts())

    def test_a_correction_stands_in_the_place_of_what_it_corrects(self):
        host = self.host()
        self.open(host.address)
        host.write(dict(text="Two point four million."), dict(text="That is all."),
                   dict(text="Three point four million.", replaces=1),
                   dict(text="Three point five million.", replaces=3))
        self.wait_text("five million")
        self.assertEqual(["Three point five million.", "That is all."], self.texts())
        self.assertIn("(corrected)", self.value("document.querySelector('.line').textContent"))
        self.assertEqual(1, self.value("document.querySelectorAll('.said').length"))

    def test_a_correction_of_an_unknown_line_is_a_line(self):
        host = self.fake_host(first=5)
        host.history.append(("gap", {"from": 1, "through": 4}))
        host.say(5, "What I meant.", replaces=2)
        self.open(host.address)
        self.assertEqual(["What I meant."], self.texts())
        self.assertIn("Lines 1 to 4 are no longer to be had.", self.notes())

    def test_a_late_name_stands_behind_and_moves_nothing(self):
        host = self.fake_host()
        self.open(host.address)
        host.partial("1", "Who is this")
        self.wait_text("Who is this")
        before = self.js(WORDS)
        host.say(1, "Who is this", line="1", speaker="Ann")
        self.wait_text("(Ann)")
        self.assertEqual(before, self.js(WORDS))

    def test_languages_are_marked_and_can_be_chosen(self):
        host = self.host()
        host.write(dict(text="Good evening.", lang="en"), dict(text="Guten Abend.", lang="de"),
                   dict(text="[Applause]"))
        self.open(host.address)
        self.wait_text("Applause")
        self.assertEqual(["en", "de", ""],
                         self.value("[...document.querySelectorAll('.line')].map(e => e.lang)"))
        self.set_setting("lang", "de")
        host.say("Welcome.", lang="en")
        host.say("Willkommen.", lang="de")
        self.wait_text("Willkommen.")
        self.assertEqual(["Guten Abend.", "[Applause]", "Willkommen."], self.shown())
        self.set_setting("lang", "")
        self.assertEqual(5, len(self.shown()))

    def test_no_partials_are_shown_while_they_are_off(self):
        host = self.host()
        self.open(host.address)
        self.set_setting("partials", False)
        host.partial("1", "Not yet")
        self.wait_text("Not yet")
        self.assertEqual([], self.shown())
        host.say("Not yet done.", line="1")
        self.wait_text("done.")
        self.assertEqual(["Not yet done."], self.shown())

    def shown(self):
        return self.value("""[...document.querySelectorAll(".line")].filter(e => e.offsetHeight)
            .map(e => e.querySelector(".text").textContent)""")

    def test_right_to_left_lines_begin_at_the_right(self):
        host = self.host()
        host.say("مساء الخير، وشكراً لكم على الحضور.", lang="ar", speaker="Ann")
        host.say("Thank you.", lang="en", speaker="سلمى")
        self.open(host.address)
        self.wait_text("Thank you.")
        self.assertEqual(["rtl", "ltr"], self.value(
            "[...document.querySelectorAll('.line')].map(e => getComputedStyle(e).direction)"))

    def test_the_host_says_what_lasts(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        for kind in ("paused", "off_record", "input_stalled"):
            host.alert(kind, f"Told: {kind}.")
            self.wait_state(kind)
            self.assertFalse(self.value("document.getElementById('card').hidden"))
            host.alert("resumed", "The captions go on.")
            self.wait_state("live")
        host.alert("battery_low", "The host's battery is at 9 %.")
        host.alert("mark", "The host has marked this place.")
        self.wait("document.querySelectorAll('.note').length === 8")
        host.alert("input_ended", "The input has ended.")
        self.wait_state("input_ended")

    def test_nothing_is_left_of_open_lines_off_the_record(self):
        host = self.fake_host()
        self.open(host.address)
        host.partial("1", "Between us")
        self.wait_text("Between us")
        host.alert("off_record", "Off the record.")
        self.wait_state("off_record")
        self.assertEqual([], self.texts())

    def test_silence_is_told_with_its_length(self):
        host = self.fake_host()
        self.open(host.address)
        host.beat(age=130)
        self.wait_state("silent")
        self.assertEqual("Silent for 2 min", self.value(
            "document.getElementById('words').textContent"))

    def test_what_lasts_is_noted_behind_the_history(self):
        host = self.fake_host()
        host.history.append(("alert", dict(kind="paused", message="Paused.")))
        host.say(1, "One.")
        self.open(host.address, until="paused")
        self.assertEqual(["line", "note paused"], self.value(
            "[...document.querySelectorAll('.line, .note')].map(e => e.className)"))


if __name__ == "__main__":
    unittest.main()
