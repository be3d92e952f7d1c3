"""The sound of the room, by an ordinary audio element."""

from support import ENGINE, PageTest, unittest

IS_PLAYABLE = """document.createElement("audio").canPlayType('audio/ogg; codecs="opus"') !== ''"""


class SoundTests(PageTest):
    def room(self, *options):
        return self.host("--voice", "--floor", "/dev/zero", *options)

    @unittest.skipIf(ENGINE == "firefox", "it plays nothing where there is no sound card")
    def test_the_room_is_heard_by_who_asks_for_it_and_until_he_does_not(self):
        host = self.room("--web-floor")
        self.open(host.address)
        if not self.value(IS_PLAYABLE):
            # Where it cannot be played it is not offered.
            return self.assertTrue(self.value("document.getElementById('listen').hidden"))
        self.wait("!document.getElementById('listen').hidden")
        self.assertIsNone(self.value("sound.player"))
        self.click("listen")
        self.wait("sound.player.currentTime > 0.5", 30)
        self.assertEqual("true", self.value(
            "document.getElementById('listen').getAttribute('aria-pressed')"))
        host.say("And this was said meanwhile.")
        self.wait_text("said meanwhile")
        self.press("l")
        self.wait("sound.player === null")
        self.assertEqual("false", self.value(
            "document.getElementById('listen').getAttribute('aria-pressed')"))

    @unittest.skipUnless(ENGINE == "firefox", "the others play where there is no sound card")
    def test_who_cannot_play_it_gives_up(self):
        host = self.room("--web-floor")
        self.open(host.address)
        self.wait("!document.getElementById('listen').hidden")
        self.click("listen")
        self.wait("sound.failures === 5 && !sound.isWanted", 60)
        self.assertEqual("false", self.value(
            "document.getElementById('listen').getAttribute('aria-pressed')"))

    def test_without_https_it_is_not_offered_unless_the_host_says_so(self):
        for host in (self.room(), self.host()):
            self.open(host.address)
            self.assertTrue(self.value("document.getElementById('listen').hidden"))
            self.press("l")
            self.assertFalse(self.value("sound.isWanted"))


if __name__ == "__main__":
    unittest.main()
