"""Whatever a stranger says stays text, in its own line."""

from support import SMALL, PageTest, unittest

MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"><svg onload=alert(3)>",
    "</p></main><style>*{display:none}</style>",
    "javascript:alert(4) &lt;b&gt; &#x202e;",
    "{{constructor.constructor('alert(5)')()}} ${alert(6)}",
]
LONG = "W" * 10_000
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈👍🏿" * 200
ZERO_WIDTH = "a\u200b\u200c\u200d\u2060\ufeffb" * 100
PILED = "Z" + "\u0300\u0323" * 300 + "algo"
OVERRIDE = "\u202e\u202d\u2067\u2066\u2068 desrever"
ENDS = "\u202c\u2069\u2069\u2069 \u202eevil"


class HostileTests(PageTest):
    size = SMALL

    def test_a_real_host_passes_strange_text_on_as_text(self):
        host = self.host(event="<img src=x onerror=alert(7)>\u202e</title>" + "W" * 100)
        for text in (*MARKUP, LONG, EMOJI, ZERO_WIDTH, PILED, OVERRIDE):
            host.say(text, speaker=text[:60], lang="en")
        host.partial("open", MARKUP[0], speaker=MARKUP[1])
        host.say("The end.")
        self.open(host.address)
        self.wait_text("The end.")
        for text in MARKUP:
            self.assertIn(text, self.texts())
        self.assert_harmless()

    def test_a_lying_host_gets_no_further(self):
        host = self.fake_host(name="<script>alert(8)</script>" + OVERRIDE + "\u0300" * 200)
        texts = [*MARKUP, LONG, EMOJI, ZERO_WIDTH, PILED, OVERRIDE, ENDS, "\u0000\u0007\r\n\t"]
        for number, text in enumerate(texts, 1):
            host.say(number, text, speaker=text, lang=text)
        host.say(len(texts) + 1, "The end.", speaker=["x"], lang={"a": 1}, replaces="1")
        self.open(host.address)
        for number, text in enumerate(texts):
            host.partial(f"<p {number}>", text, speaker=text)
            host.alert(text, text)
        host.send("final", seq=len(texts) + 2, text={"not": "text"})
        host.send("partial", text=None)
        host.send("gap")
        host.send("beat", lastSeq="many", inputAge="old")
        host.say(len(texts) + 2, "Still here.")
        self.wait_text("Still here.")
        for text in texts:
            self.assertIn(text, self.texts())
        self.assert_harmless()
        for theme in ("dark", "yellow"):
            self.set_setting("theme", theme)
        self.set_setting("times", "clock")
        self.set_setting("size", 4)
        self.assert_harmless()

    def assert_harmless(self):
        self.assertEqual(2, self.value("document.scripts.length"))
        self.assertEqual(0, self.value(
            "document.querySelectorAll('#log :not(.space, p, span, bdi, time), #event *').length"))
        self.assert_nothing_sideways()
        self.assert_nothing_bad()

    def test_overrides_in_a_name_or_a_line_do_not_reach_the_rest(self):
        host = self.fake_host()
        host.say(1, "abc def", speaker="Ann")
        host.say(2, OVERRIDE, speaker=OVERRIDE)
        host.say(3, "abc def", speaker="Ann")
        host.say(4, "abc def", speaker=ENDS)
        self.open(host.address)
        places = self.value("""[1, 3, 4].map(number => {
            const line = document.querySelectorAll(".line")[number - 1];
            const text = line.querySelector(".text").firstChild;
            return [0, 1, 2, 4, 5, 6].map(index => {
              const range = new Range();
              range.setStart(text, index);
              range.setEnd(text, index + 1);
              return range.getBoundingClientRect().left;
            }); })""")
        self.assertEqual(places[0], places[1])
        for letters in places:
            self.assertEqual(sorted(letters), letters, "letters stand from left to right")
        behind = self.value("""[1, 3, 4].map(number => {
            const line = document.querySelectorAll(".line")[number - 1];
            const name = line.querySelector("bdi").getBoundingClientRect();
            return line.querySelector(".text").getBoundingClientRect().left - name.right; })""")
        self.assertTrue(all(0 <= space < 20 for space in behind), behind)


if __name__ == "__main__":
    unittest.main()
