"""The page's own words in the reader's language, and how they and the captions may look."""

import base64
import json
import re

from fake_host import PAGE, WORDS
from support import PageTest, only_in, unittest

HTML = (PAGE / "page.html").read_text()


def slots(entry):
    """What is put into an entry, of whichever form."""
    forms = [entry] if isinstance(entry, str) else entry.values()
    return sorted({slot for form in forms for slot in re.findall(r"\{\w+\}", form)})


class WordsTests(PageTest):
    def speak(self, *languages):
        self.preload("Object.defineProperty(Navigator.prototype, 'languages',"
                     f" {{ value: {json.dumps(languages)}, configurable: true }});")

    def begin(self, until="live"):
        host = self.fake_host()
        host.say(1, "One.", lang="en")
        self.open(host.address, until=until)
        if until == "live":
            self.wait("document.querySelector('.line')")
        return host

    def words(self):
        return self.value("document.getElementById('words').textContent")

    @only_in("chromium", because="it compares files; one browser is asked for the plural forms")
    def test_each_language_has_every_word_and_no_other(self):
        self.begin()
        english = self.value("english")
        self.assertGreater(len(english), 120)
        for path in WORDS:
            words = json.loads(path.read_text())
            self.assertEqual(sorted(english), sorted(words), path.name)
            forms = self.value(f"new Intl.PluralRules('{path.stem}').resolvedOptions()"
                               ".pluralCategories")
            for key, entry in words.items():
                self.assertEqual(isinstance(english[key], str), isinstance(entry, str), key)
                if not isinstance(entry, str):
                    self.assertEqual(sorted(forms), sorted(entry), f"{path.name}: {key}")
                if path.stem != "ar":  # which says "one" and "two" without a number
                    self.assertEqual(slots(english[key]), slots(entry), f"{path.name}: {key}")
                self.assertNotIn("", [entry] if isinstance(entry, str) else entry.values())

    @only_in("chromium", because="it compares files")
    def test_every_language_is_offered_and_every_place_has_words(self):
        self.begin()
        offered = self.value("[...document.querySelectorAll('#page-words option')]"
                             ".map(e => e.value)")
        self.assertEqual(sorted(["auto", "en", *(path.stem for path in WORDS)]), sorted(offered))
        scripts = "".join(path.read_text() for path in PAGE.glob("*.js"))
        english = set(self.value("Object.keys(english)"))
        for key in re.findall(r'\bsay\("(\w+)"', scripts):
            self.assertIn(key, english)
        bare = re.findall(r"<(?:button|legend|h2|option|span|dd|label)(?![^>]*data-)[^>]*>"
                          r"\s*([A-Z][a-z]+[^<]*)<", HTML)
        self.assertEqual(["Connecting…", "This browser is too old to show captions as they are"],
                         [text.split(" said")[0].strip() for text in bare
                          if text not in ("OpenDyslexic", "Done")])

    def test_the_page_speaks_the_browsers_first_language_that_it_knows(self):
        self.speak("pt-BR", "de-AT", "fr")
        host = self.begin()
        self.assertEqual(["de", "ltr"], self.value(
            "[document.documentElement.lang, document.documentElement.dir]"))
        self.assertEqual("Einstellungen", self.value(
            "document.getElementById('panel-title').textContent"))
        self.assertEqual("Suchen (/)", self.value("document.getElementById('find').title"))
        self.assertEqual([name for name in host.seen if "/words/" in name],
                         ["GET /words/de.json HTTP/1.1"], "only that one is fetched")
        host.beat(age=130)
        self.wait("document.getElementById('words').textContent === 'Stille seit 2 min'")
        self.wait("document.getElementById('told').textContent === 'Live.'")
        self.assert_nothing_bad()

    def test_words_are_plural_as_their_language_is(self):
        self.begin()
        self.set_setting("words", "ar")
        self.wait("document.documentElement.lang === 'ar'")
        forms = self.value("[1, 2, 3, 11, 100].map(count => say('while_away', { count }))")
        self.assertEqual(5, len(set(re.sub(r"\d+|[٠-٩]+", "", form) for form in forms)), forms)
        self.set_setting("words", "fr")
        self.wait("document.documentElement.lang === 'fr'")
        self.assertEqual(["0 nouvelle ligne ↓", "2 nouvelles lignes ↓"], self.value(
            "[0, 2].map(count => say('new_lines', { count }))"))

    def test_arabic_goes_from_right_to_left_and_fits(self):
        self.speak("ar")
        self.begin()
        self.assertEqual("rtl", self.value("document.documentElement.dir"))
        # The tools stand at the other side, and nothing sticks out.
        self.assertLess(self.value("document.getElementById('tools').getBoundingClientRect().left"),
                        self.value("document.getElementById('what').getBoundingClientRect().left"))
        self.assert_nothing_sideways()
        # An English line is read from left to right as ever.
        self.assertEqual("ltr", self.value(
            "getComputedStyle(document.querySelector('.line')).direction"))
        self.set_size((320, 568))
        self.open_dialog("panel")
        self.assertTrue(self.value("document.getElementById('panel').scrollWidth"
                                   " <= document.getElementById('panel').clientWidth"))

    def test_a_chosen_language_stays_and_can_be_given_back(self):
        self.begin()
        self.set_setting("words", "ja")
        self.wait("document.documentElement.lang === 'ja'")
        self.browser.refresh()
        self.wait("document.documentElement.lang === 'ja'")
        self.assertEqual("設定", self.value("document.getElementById('panel-title').textContent"))
        self.set_setting("words", "en")
        self.wait("document.documentElement.lang === 'en'")
        self.assertEqual("Settings", self.value(
            "document.getElementById('panel-title').textContent"))

    def test_words_that_cannot_be_had_are_english(self):
        self.speak("de")
        self.preload("const asked = window.fetch; window.fetch = (where, ...more) =>"
                     " String(where).includes('words') ? Promise.reject(new TypeError('no'))"
                     " : asked(where, ...more);")
        self.begin()
        self.assertEqual("Live", self.words())
        self.assertEqual("en", self.value("document.documentElement.lang"))

    def test_a_line_is_put_into_words_as_text(self):
        host = self.begin()
        host.say(2, "{line} $& <b>{x}</b>", line="2")
        self.wait_text("$&")
        self.press("m")
        self.wait("document.getElementById('told').textContent === "
                  "'Marked: {line} $& <b>{x}</b>'")


class LooksTests(PageTest):
    def begin(self):
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)
        return host

    def test_a_typeface_can_be_chosen_and_is_fetched_only_then(self):
        host = self.begin()
        self.assertFalse([name for name in host.seen if "woff2" in name])
        self.set_setting("face", "dyslexic")
        self.wait("document.fonts.check('16px OpenDyslexic', 'a') "
                  "&& [...document.fonts].some(face => face.status === 'loaded')")
        self.assertIn("OpenDyslexic", self.value(
            "getComputedStyle(document.getElementById('view')).fontFamily"))
        self.set_setting("face", "serif")
        self.assertIn("Georgia", self.value(
            "getComputedStyle(document.getElementById('view')).fontFamily"))
        self.assert_nothing_bad()

    def test_own_colours_are_shown_with_their_contrast(self):
        self.begin()
        self.assertEqual(0, self.value("document.getElementById('own').offsetHeight"))
        self.set_setting("theme", "own")
        self.open_dialog("panel")
        self.assertGreater(self.value("document.getElementById('own').offsetHeight"), 0)
        for text, ground, shown in (("#000000", "#ffffff", "Contrast 21 : 1"),
                                    ("#595959", "#ffffff", "Contrast 7 : 1"),
                                    ("#5a5a5a", "#ffffff", "Contrast 6.8 : 1. To")):
            self.set_setting("ownText", text)
            self.set_setting("ownGround", ground)
            self.assertTrue(self.value("document.getElementById('contrast').textContent")
                            .startswith(shown), shown)
        style = "getComputedStyle(document.querySelector('.line'))"
        self.assertEqual("rgb(90, 90, 90)", self.value(style + ".color"))
        self.assertEqual("rgb(255, 255, 255)", self.value(
            "getComputedStyle(document.body).backgroundColor"))
        self.browser.refresh()
        self.wait_state("live")
        self.assertEqual("rgb(90, 90, 90)", self.value(style + ".color"))

    @only_in("chromium", because="its paper can be counted and looked at")
    def test_paper_has_all_lines_black_on_white(self):
        host = self.fake_host()
        for number in range(1, 401):
            host.say(number, f"What is said as number {number}.", speaker="Ann")
        self.open(host.address)
        self.wait_text("number 400.")
        self.set_setting("theme", "yellow")
        paper = base64.b64decode(self.browser.print_page())
        # A page takes some 60 of these lines.
        self.assertGreaterEqual(len(re.findall(rb"/Type /Page\b", paper)), 6)
        self.engine.cdp("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.engine.cdp, "Emulation.setEmulatedMedia", media="")
        self.assertEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)", "none"], self.value(
            "[getComputedStyle(document.querySelector('.line')).color,"
            " getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.getElementById('bar')).display]"))

    def test_damaged_colours_are_those_of_the_beginning(self):
        host = self.begin()
        self.js("localStorage.setItem('beamscribe.settings', JSON.stringify("
                "{ theme: 'own', ownText: 'url(x)', ownGround: '#12', face: 'x\"y' }))")
        self.open(host.address)
        self.assertEqual("#ffffff", self.value("settings.ownText"))
        self.assertEqual("#10243e", self.value("settings.ownGround"))
        self.assert_nothing_bad()


if __name__ == "__main__":
    unittest.main()
