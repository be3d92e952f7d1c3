"""WCAG 2.2 AA, and 7:1 for text: what axe finds, and what it cannot see."""

import gzip
import pathlib

import axe_playwright_python
from selenium.webdriver.common.action_chains import ActionChains

from fake_host import SCRIPTS
from support import DESKTOP, PHONE, PROJECT, SMALL, THEMES, WALL, PageTest, unittest

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGE = PROJECT / "Sources/BeamscribeWeb/Page"

# Of the page's values in a theme: the contrast (WCAG 2.2) of two custom properties.
CONTRAST = """
  const [pairs] = arguments;
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const value = style.getPropertyValue(name).trim();
    const [r, g, b] = [1, 3, 5].map(at => parseInt(value.slice(at, at + 2), 16) / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return pairs.map(([front, back]) => {
    const [low, high] = [light(front), light(back)].sort((a, b) => a - b);
    return [front, back, (high + 0.05) / (low + 0.05)];
  });
"""
SPEAKERS = [f"--c{number}" for number in range(6)]
TEXT_PAIRS = [
    *((front, "--ground") for front in ("--text", "--soft", "--accent", *SPEAKERS)),
    *((front, "--raised") for front in ("--text", "--soft", *SPEAKERS)),
    ("--on-accent", "--accent"), ("--on-hit", "--hit"),
]
SHAPE_PAIRS = [(front, back) for front in ("--edge", "--accent", "--good", "--warn")
               for back in ("--ground", "--raised")]


class AccessibilityTests(PageTest):
    def talk(self, size, path=""):
        self.set_size(size)
        host = self.fake_host()
        for number in range(1, 13):
            host.say(number, f"What is said as number {number}.", speaker=f"Speaker {number % 7}",
                     lang="en")
        host.say(13, "Was man dazu sagt.", replaces=12, lang="de")
        self.open(host.address + path)
        host.partial("14", "This is not fin", speaker="Ann")
        host.alert("mark", "The host has marked this place.")
        self.wait("document.querySelector('.open') && lines.some(row => row.kind === 'note')")
        return host

    def assert_axe_is_content(self, where):
        if not self.value("Boolean(window.axe)"):
            self.js(AXE)
        found = self.js_async("""
            const [tags, done] = arguments;
            axe.run(document, { runOnly: tags, resultTypes: ["violations"] })
              .then(result => done(result.violations.map(each => [each.impact, each.id,
                each.nodes.map(node => node.html.slice(0, 120) + " " + node.failureSummary)])))
              .catch(error => done([["critical", String(error), []]]));""", TAGS)
        bad = [each for each in found if each[0] in ("serious", "critical")]
        self.assertEqual([], bad, where)
        self.assertEqual([], found, f"{where}: of less weight, but let it be so")

    def test_axe_finds_nothing_on_phone_desktop_and_wall(self):
        for size, path in ((PHONE, ""), (SMALL, ""), (DESKTOP, ""), (WALL, "?view=projector")):
            self.talk(size, path)
            for theme in THEMES:
                self.set_setting("theme", theme)
                self.assert_axe_is_content(f"{size} {theme}")

    def test_axe_finds_nothing_with_what_opens(self):
        host = self.talk(PHONE)
        for theme in THEMES:
            self.set_setting("theme", theme)
            for dialog in ("panel", "list"):
                self.open_dialog(dialog)
                self.assert_axe_is_content(f"{dialog} {theme}")
                self.close_dialog()
        self.press("/", *"said")
        self.scroll_to(0)
        self.press("m")
        host.alert("paused", "Paused.")
        self.wait_state("paused")
        for theme in THEMES:
            self.set_setting("theme", theme)
            self.assert_axe_is_content(f"search {theme}")

    def test_axe_finds_nothing_with_several_logs(self):
        host = self.fake_host(more={"logs": [
            {"session": "a", "label": "Room 2", "lang": "es"}, {"session": "b", "label": "Floor"}]})
        host.say(1, "one")
        self.open(host.address)
        for theme in THEMES:
            self.set_setting("theme", theme)
            self.assert_axe_is_content(f"chooser {theme}")

    def test_text_has_seven_to_one_in_every_theme(self):
        self.talk(PHONE)
        for theme in THEMES:
            self.set_setting("theme", theme)
            for front, back, contrast in self.js(CONTRAST, TEXT_PAIRS):
                self.assertGreaterEqual(contrast, 7, f"{theme}: {front} on {back}")
            for front, back, contrast in self.js(CONTRAST, SHAPE_PAIRS):
                self.assertGreaterEqual(contrast, 3, f"{theme}: {front} on {back}")

    def test_every_target_has_44_pixels(self):
        self.talk(SMALL)
        self.press("/")
        self.open_dialog("panel")
        small = self.value("""[...document.querySelectorAll("button, a, select, input, label")]
            .filter(e => e.offsetHeight && e.type !== "range" && !(e.labels && e.labels.length))
            .filter(e => e.offsetHeight < 44 || e.offsetWidth < 24)
            .map(e => e.outerHTML.slice(0, 80) + e.offsetWidth + "x" + e.offsetHeight)""")
        self.assertEqual([], small)

    def test_captions_are_a_log_that_is_silent_unless_asked(self):
        host = self.talk(PHONE)
        log = self.browser.find_element("id", "log")
        self.assertEqual(["log", "off"],
                         [log.get_attribute("role"), log.get_attribute("aria-live")])
        spoken = self.browser.find_element("id", "spoken")
        self.assertEqual("off", spoken.get_attribute("aria-live"))
        host.say(14, "Nobody asked.", line="14")
        self.wait_text("Nobody asked.")
        self.assertEqual("", spoken.get_attribute("textContent"))

        self.set_setting("announce", True)
        self.assertEqual("polite", spoken.get_attribute("aria-live"))
        self.assertEqual("off", log.get_attribute("aria-live"))
        host.partial("15", "Not yet")
        self.wait_text("Not yet")
        self.assertEqual("", spoken.get_attribute("textContent"))
        host.say(15, "Not yet, but now.", line="15", speaker="Ann", lang="en")
        self.wait_text("but now.")
        self.assertEqual("Ann: Not yet, but now.", spoken.get_attribute("textContent"))
        self.assertEqual("en", self.value("document.getElementById('spoken').lastChild.lang"))

    def test_history_is_not_read_aloud(self):
        host = self.talk(PHONE)
        self.set_setting("announce", True)
        self.browser.refresh()
        self.wait_state("live")
        self.assertEqual("", self.value("document.getElementById('spoken').textContent"))
        host.say(14, "New.", line="14")
        self.wait("document.getElementById('spoken').textContent === 'New.'")

    def test_states_are_told_once_and_silence_is_not(self):
        host = self.talk(PHONE)
        self.wait("document.getElementById('told').textContent === 'Live.'")
        self.js("""window.told = []; new MutationObserver(() =>
            told.push(document.getElementById("told").textContent))
            .observe(document.getElementById("told"), { childList: true })""")
        host.beat(age=60)
        self.wait("document.getElementById('state').dataset.kind === 'silent'")
        host.alert("paused", "Paused.")
        self.wait("told.length > 0")
        self.assertEqual(["Paused by the host. It goes on here by itself."],
                         self.value("told"))

    def test_text_of_twice_the_size_fits(self):
        """WCAG 1.4.4 and 1.4.10: the browser's own size of text at 200 % on a narrow phone."""
        self.talk(SMALL)
        self.js("document.documentElement.style.fontSize = '200%'")
        self.press("/")
        self.assert_nothing_sideways()
        self.assertGreater(self.value("document.getElementById('view').clientHeight"), 150)
        self.open_dialog("panel")
        self.assertTrue(self.value("document.getElementById('panel').scrollWidth"
                                   " <= document.getElementById('panel').clientWidth"))

    def test_spacing_of_text_can_be_overridden(self):
        """WCAG 1.4.12."""
        self.talk(SMALL)
        self.js("""document.documentElement.style.setProperty("--leading", "1.5");
            for (const e of document.querySelectorAll("*")) {
              e.style.letterSpacing = "0.12em"; e.style.wordSpacing = "0.16em"; }""")
        self.assert_nothing_sideways()

    def test_nothing_moves_for_those_who_want_that(self):
        self.set_media(prefers_reduced_motion="reduce")
        self.talk((844, 390))
        moving = self.value("""[...document.querySelectorAll("*")].filter(e => {
            const style = getComputedStyle(e);
            return style.animationName !== "none" || (style.transitionDuration !== "0s");
          }).map(e => e.id || e.tagName)""")
        self.assertEqual([], moving)

    def test_the_theme_is_that_of_the_device_until_one_is_chosen(self):
        self.talk(PHONE)
        for scheme in ("light", "dark"):
            self.set_media(prefers_color_scheme=scheme)
            self.wait(f"document.documentElement.dataset.theme === '{scheme}'")

    def test_a_touch_beside_a_dialog_closes_it(self):
        self.talk(PHONE)
        self.click("settings")
        ActionChains(self.browser).move_by_offset(200, 100).click().perform()
        self.addCleanup(ActionChains(self.browser).reset_actions)
        self.wait("!document.getElementById('panel').offsetHeight")


class WeightTests(unittest.TestCase):
    def test_the_page_weighs_less_than_42_kilobytes_on_the_wire(self):
        """A second on a slow mobile network. It goes compressed, in three answers; words in other
        languages and a typeface are fetched by those who want them. 4 of it put the lines of an
        event's logs together, translations in their lines' places, and interpreters in theirs."""
        parts = [[PAGE / "page.html"], [PAGE / "page.css"], SCRIPTS]
        weights = [len(gzip.compress(b"".join(path.read_bytes() for path in part), 6))
                   for part in parts]
        self.assertLess(sum(weights), 42_000)

    def test_the_page_has_nothing_from_elsewhere_and_nothing_inline(self):
        html = (PAGE / "page.html").read_text()
        for forbidden in ("style=", "onclick", "<style", "http://", "https://", 'href="#', "//cdn"):
            self.assertNotIn(forbidden, html)
        served = [*SCRIPTS, PAGE / "floor.js", PAGE / "look.js"]
        self.assertEqual(sorted(PAGE.glob("*.js")), sorted(served), "a script is not served")
        script = "".join(path.read_text() for path in SCRIPTS)
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
            self.assertNotIn(forbidden, script)


if __name__ == "__main__":
    unittest.main()
