"""Takes the pictures of docs/PHONES.md: python3 Tests/Browser/screenshots.py [folder]"""

import pathlib
import sys

from support import DESKTOP, PHONE, PROJECT, SMALL, WALL, PageTest

ANN, BEN, SALMA = "Ann Lee", "Ben Okafor", "سلمى"
TALK = [
    (ANN, "Good evening, everyone, and welcome to the town hall."),
    (ANN, "The captions are on the wall behind me, and on your own phones."),
    (BEN, "Thank you, Ann. I want to talk about three things tonight: the budget, the new "
          "library, and the bus line to the station."),
    (BEN, "The budget for the coming year is three point four million, which is three percent "
          "more than last year."),
    (BEN, "Most of that goes into the schools, and into the roads that were damaged by the flood "
          "in March."),
    (ANN, "There is a question from the gallery."),
    (SALMA, "شكراً لكم. متى تُفتح المكتبة الجديدة؟"),
    (ANN, "Thank you, Salma. She asks when the new library will open."),
    (BEN, "In the autumn, I hope. The reading room will have captions, too."),
    (ANN, "And the bus line?"),
]
GROWING = ["The bus line is harder, because the county", "The bus line is harder, because the "
           "county pays one half and we pay the other. We have asked"]


class Screenshots(PageTest):
    """One talk, seen on four screens."""

    def begin(self, size, theme="light", path=""):
        self.set_size(size)
        host = self.host()
        for speaker, text in TALK:
            host.say(text, speaker=speaker, lang="ar" if speaker == SALMA else "en")
        self.open(host.address + path)
        self.wait_text("And the bus line?")
        self.set_setting("theme", theme)
        for text in GROWING:
            host.partial("open", text, speaker=BEN, lang="en")
            self.wait_text(text)
        return host

    def take(self, name):
        self.js("document.activeElement.blur()")
        self.js_async(
            "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))")
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(FOLDER / name))
        print(FOLDER / name)

    def test_phone(self):
        self.begin(PHONE)
        self.take("phone.png")
        self.open_dialog("panel")
        self.take("phone-settings.png")

    def test_phone_scrolled_back(self):
        host = self.begin(PHONE, "dark")
        self.scroll_to(0)
        self.press("/", *"library")
        self.wait("document.getElementById('count').textContent")
        host.say("The bus line is harder, because the county pays one half and we pay the other.",
                 "We have asked four companies for an offer.", line="open", speaker=BEN)
        self.wait("document.getElementById('live').textContent.startsWith('2')")
        self.take("phone-search.png")

    def test_small_phone(self):
        self.begin(SMALL, "yellow")
        self.take("phone-small.png")

    def test_desktop(self):
        self.begin(DESKTOP, "dark")
        self.take("desktop.png")

    def test_projector(self):
        self.begin(WALL, "dark", "?view=projector")
        self.take("projector.png")


if __name__ == "__main__":
    import unittest

    FOLDER = pathlib.Path(sys.argv.pop(1) if sys.argv[1:] else PROJECT / "docs/images")
    unittest.main()
