"""Networks that go, hosts that go, phones that sleep: every line is there afterwards, once."""

from relay import Relay
from support import PHONE, PageTest, only_in, unittest


class ConnectionTests(PageTest):
    def numbered(self, host, first, last):
        host.say(*(f"line {number}" for number in range(first, last + 1)))

    def assert_lines(self, last, seconds=15):
        self.wait_text(f"line {last}", seconds)
        self.wait("!hasHoles()", seconds)
        self.assertEqual([f"line {number}" for number in range(1, last + 1)],
                         [text for text in self.all_texts() if text.startswith("line ")])

    def relay(self, host):
        relay = Relay(host.port)
        self.addCleanup(relay.close)
        return relay

    def wait_words(self, start, seconds):
        self.wait(f"document.getElementById('words').textContent.startsWith({start!r})", seconds)

    def test_ten_seconds_without_a_network_lose_and_double_nothing(self):
        host = self.host()
        relay = self.relay(host)
        self.numbered(host, 1, 20)
        self.open(relay.address)
        self.assert_lines(20)
        relay.cut()
        self.numbered(host, 21, 40)
        self.wait_words("Reconnecting for 10 s", 30)
        relay.mend()
        self.assert_lines(40, seconds=30)
        self.wait_state("live")
        self.numbered(host, 41, 50)
        self.assert_lines(50)
        self.assert_nothing_bad()

    def test_a_connection_that_died_without_a_word_is_replaced(self):
        host = self.host()
        relay = self.relay(host)
        self.numbered(host, 1, 20)
        self.open(relay.address)
        self.assert_lines(20)
        relay.cut("forgetful")
        self.numbered(host, 21, 40)
        # 12 s of silence, and 6 s more for each connection that the browser had kept for later.
        self.assert_lines(40, seconds=60)
        self.wait_state("live")

    def test_a_network_that_refuses_is_tried_again_and_loses_nothing(self):
        host = self.host()
        relay = self.relay(host)
        self.numbered(host, 1, 20)
        self.open(relay.address)
        host.partial("open", "half a sentence")
        self.wait_text("half a")
        relay.cut("refusing")
        self.numbered(host, 21, 40)
        self.wait_words("Reconnecting for 3 s", 12)
        # What was read last stays to be read.
        self.assertIn("half a sentence", self.texts())
        relay.mend()
        self.assert_lines(40)
        self.assertIn("half a sentence", self.texts())
        host.partial("open", "")
        self.wait("document.querySelectorAll('.line').length === 40")

    def test_a_host_that_was_killed_and_resumed_has_every_line_once(self):
        host = self.host()
        self.numbered(host, 1, 50)
        self.open(host.address)
        self.assert_lines(50)
        host.kill()
        self.wait_state("lost")
        second = host.resume()
        self.addCleanup(second.close)
        self.numbered(second, 51, 70)
        self.assert_lines(70, seconds=30)
        self.assertEqual(70, len(self.texts()))

    def test_a_phone_reads_an_event_through_a_cut_and_a_new_host(self):
        self.set_size(PHONE)
        host = self.host()
        self.numbered(host, 1, 20)
        relay = self.relay(host)
        self.open(relay.address)
        self.assert_lines(20)
        relay.cut("silent")
        self.numbered(host, 21, 40)
        self.wait_state("lost", 20)
        relay.mend()
        self.assert_lines(40, seconds=30)
        host.partial("open", "half a sentence")
        self.wait_text("half a sentence")
        host.kill()
        self.wait_state("lost")
        second = host.resume()
        self.addCleanup(second.close)
        self.numbered(second, 41, 60)
        self.assert_lines(60, seconds=30)
        # What the new host does not know is still being said goes with its first sign of life.
        self.wait("document.querySelectorAll('.line').length === 60", 15)

    @only_in("chromium", because="no other can be told to freeze a page")
    def test_a_sleeping_phone_catches_up(self):
        host = self.host()
        self.numbered(host, 1, 5)
        self.open(host.address)
        self.assert_lines(5)
        self.js("window.slept = []; for (const kind of ['freeze', 'resume'])"
                " document.addEventListener(kind, () => slept.push("
                "kind + document.querySelectorAll('.line').length))")
        self.engine.cdp("Page.setWebLifecycleState", state="frozen")
        self.numbered(host, 6, 300)
        self.engine.cdp("Page.setWebLifecycleState", state="active")
        # Frozen pages are hidden ones, and stay so in a browser without a screen: they have the newest
        # lines, and fetch the others when they are seen or asked for them.
        self.wait("stream.isConnected && main.last === 300")
        self.js("everything()")
        self.assert_lines(300)
        self.assertEqual(["freeze5", "resume5"], self.value("slept"))
        self.assertEqual(300, len(self.all_texts()))

    def test_a_page_that_was_left_goes_on_behind_its_last_line(self):
        host = self.fake_host()
        host.say(1, "line 1")
        self.open(host.address)
        self.js("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        host.say(2, "line 2")
        self.js("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
        self.assert_lines(2)
        self.assertIn("GET /events?after=1&tail=200&log=all HTTP/1.1", host.seen)

    def test_a_line_that_comes_twice_is_shown_once(self):
        host = self.fake_host()
        host.say(1, "line 1")
        self.open(host.address)
        host.say(1, "line 1")
        host.say(2, "line 2")
        self.assert_lines(2)

    def test_another_session_begins_a_new_transcript(self):
        host = self.fake_host()
        host.say(1, "of the first")
        host.say(2, "also of the first")
        self.open(host.address)
        self.set_setting("size", 2)
        host.session = "11111111-0000-4000-8000-000000000000"
        host.history = []
        host.say(1, "of the second")
        host.cut()
        self.wait_text("of the second")
        self.assertEqual(["of the first", "also of the first", "of the second"], self.texts())
        self.assertTrue(any("new transcript" in note for note in self.notes()))
        self.assertIn("GET /events?after=0&tail=200&log=all HTTP/1.1", host.seen)
        self.assertEqual("2", self.value("document.querySelector('[data-set=size]').value"))

    def test_lines_that_a_host_has_lost_are_withdrawn(self):
        host = self.fake_host()
        for number in range(1, 6):
            host.say(number, f"line {number}")
        self.open(host.address)
        host.runs = [0, 3]
        host.history = host.history[:3]
        host.say(4, "other words")
        host.cut()
        self.wait_text("other words")
        self.assertEqual(["line 1", "line 2", "line 3", "line 4", "line 5", "other words"],
                         self.texts())
        self.assertEqual(2, self.value("document.querySelectorAll('.withdrawn').length"))
        self.assertIn("(withdrawn)", self.value("document.getElementById('log').textContent"))
        self.assertIn("GET /events?after=3&tail=200&log=all HTTP/1.1", host.seen)

    def test_a_gap_is_shown_in_its_place(self):
        host = self.fake_host(first=41)
        host.history.append(("gap", {"from": 1, "through": 40}))
        host.say(41, "forty-one")
        self.open(host.address)
        self.assertEqual(["note gap", "line"], self.value(
            "[...document.querySelectorAll('.note, .line')].map(e => e.className)"))
        self.assertEqual(["Lines 1 to 40 are no longer to be had."], self.notes())

    def test_a_full_room_is_told_and_tried_again(self):
        host = self.fake_host(answer=503)
        host.say(1, "line 1")
        self.open(host.address, until="full")
        self.assertIn("tries again", self.value("document.getElementById('help').textContent"))
        host.answer = 200
        self.assert_lines(1)
        self.wait_state("live")

    def test_the_end_is_for_good_and_stays_to_be_read(self):
        host = self.host("--until-eof")
        self.numbered(host, 1, 3)
        self.open(host.address)
        self.assert_lines(3)
        host.end()
        self.wait_state("ended")
        self.assertEqual(3, len(self.texts()))
        host.process.wait(15)
        self.js("dispatchEvent(new Event('online'))")
        self.assertEqual("ended", self.value("document.getElementById('state').dataset.kind"))

    def test_a_host_that_leaves_is_waited_for(self):
        host = self.fake_host()
        host.say(1, "line 1")
        self.open(host.address)
        host.partial("2", "half")
        self.wait_text("half")
        host.answer = 500
        host.alert("host_disconnected", "The host stops.")
        host.cut()
        self.wait_state("gone")
        self.assertEqual(["line 1"], self.texts())
        host.answer = 200
        host.say(2, "line 2")
        self.assert_lines(2)

    def test_an_event_with_a_code_needs_its_link(self):
        host = self.host("--code", event="Secret Council")
        self.numbered(host, 1, 3)
        relay = self.relay(host)
        _, token = host.address.split("#")
        self.open(relay.address, until="link")
        self.assertEqual("beamscribe", self.browser.title)
        self.assertNotIn("Secret", self.browser.page_source)
        self.assertEqual([], self.texts())
        self.assertIn("Scan the code", self.value("document.getElementById('help').textContent"))
        # The link, in the same tab: only what is behind the # changes.
        self.browser.get(relay.address + "#" + token)
        self.assert_lines(3)
        self.assertEqual("Secret Council", self.browser.title)
        self.browser.refresh()
        self.assert_lines(3)
        self.assertEqual("#" + token, self.value("location.hash"))
        self.assert_token_is_kept(b"".join(relay.requests), token)
        self.assert_nothing_bad()

    def test_a_link_outlives_its_host(self):
        host = self.host("--code=7K3M9QX2TA")
        self.numbered(host, 1, 5)
        self.open(host.address)
        self.assert_lines(5)
        host.kill()
        second = host.resume("--code=7K3M9QX2TA")
        self.addCleanup(second.close)
        self.assertEqual(host.address, second.address)
        self.numbered(second, 6, 10)
        self.assert_lines(10, seconds=30)

    def assert_token_is_kept(self, sent, token):
        """It may stand in the body of a POST, and nowhere else."""
        rows = sent.split(b"\r\n")
        self.assertTrue(any(row.startswith(b"POST /access ") for row in rows))
        for row in rows:
            if token.encode() in row and not row.startswith(token.encode()):
                self.fail(f"the token is in: {row!r}")

    def test_a_wrong_link_is_told(self):
        host = self.host("--code", event="Secret Council")
        self.open(host.address.split("#")[0] + "#AAAAAAAAAAAAAAAAAAAAAA", until="link")
        self.assertEqual("beamscribe", self.browser.title)


if __name__ == "__main__":
    unittest.main()
